#!/usr/bin/env bash
# This clone as a service of this machine, with systemd: the service, and the run of every morning.
set -eo pipefail

usage() {
  cat <<'HELP'
Usage: sudo MOUVEMENTS_CONTACT=... MOUVEMENTS_PUBLIC_URL=https://... ./install.sh

Copies this clone, with what `make morning` made, to /srv/mouvements, and starts it there as the user `mouvements`.
Run it again to upgrade: lists, databases and keys there stay, and so does /etc/mouvements.env.

Environment (the first time; then /etc/mouvements.env has them):
  MOUVEMENTS_CONTACT     address shown to the public for questions and personal data
  MOUVEMENTS_PUBLIC_URL  address the public sees, of the proxy in front
  MOUVEMENTS_ALARM       who is mailed when a unit fails (default: root@localhost)
  MOUVEMENTS_HEARTBEAT   address of a monitor, asked after each morning (optional)
HELP
}

refuse() {
  echo "install.sh: $1" >&2
  exit 1
}

case ${1:-} in '') ;; *) usage && exit ;; esac
here=$(cd "$(dirname "$0")" && pwd)
# DESTDIR: a folder that stands for this machine's root, to see what would be written.
home=${DESTDIR:-}/srv/mouvements settings=${DESTDIR:-}/etc/mouvements.env units=${DESTDIR:-}/etc/systemd/system
umask 022

# --- Everything that can be refused is refused before anything is changed.

[ "$(id -u)" = 0 ] || refuse "run it with sudo"
command -v systemctl >/dev/null || refuse "systemctl is not on PATH: this machine has no systemd"
[ "$here" != "$home" ] || refuse "run it in a clone elsewhere: it copies to $home"
if [ ! -e "$settings" ]; then
  [ -n "$MOUVEMENTS_CONTACT" ] || refuse "set MOUVEMENTS_CONTACT: whoever is named must have somebody to write to"
  [ -n "$MOUVEMENTS_PUBLIC_URL" ] || refuse "set MOUVEMENTS_PUBLIC_URL"
fi
[ -e "$home/data/movements.db" ] || [ -e "$here/data/movements.db" ] || refuse "no movements yet: make morning"

id mouvements >/dev/null 2>&1 || useradd --system --home-dir /srv/mouvements --shell /usr/sbin/nologin mouvements
mkdir -p "$home"
# What a service has kept is never replaced by what a clone has.
kept=(--exclude=./.venv --exclude=./.git --exclude=__pycache__)
for name in data/movements.db data/movements.suivi.sqlite3 lists var; do
  [ ! -e "$home/$name" ] || kept+=(--exclude="./$name")
done
tar -C "$here" --mode=a+rX -cf - "${kept[@]}" . | tar -C "$home" --no-same-owner -xf -
mkdir -p "$home/var" "$home/lists"
chmod -R go-rwx "$home/var" "$home/lists"
[ -x "$home/.venv/bin/python" ] || python3 -m venv "$home/.venv"
"$home/.venv/bin/pip" install --quiet --disable-pip-version-check --constraint "$home/constraints.txt" -e "${home}[deploy,lists]"
chown -R mouvements: "$home/var" "$home/data" "$home/lists"
if [ ! -e "$settings" ]; then
  (umask 077 && printf '%s\n' "DATASETTE_SECRET=$(openssl rand -hex 32)" "MOUVEMENTS_CONTACT=$MOUVEMENTS_CONTACT" \
    "MOUVEMENTS_PUBLIC_URL=$MOUVEMENTS_PUBLIC_URL" "MOUVEMENTS_ALARM=${MOUVEMENTS_ALARM:-root@localhost}" \
    ${MOUVEMENTS_HEARTBEAT:+"MOUVEMENTS_HEARTBEAT=$MOUVEMENTS_HEARTBEAT"} >"$settings")
fi
cp "$here"/docs/examples/mouvements{.service,-daily.service,-daily.timer,-failed@.service} "$units"/
systemctl daemon-reload
systemctl enable --quiet mouvements.service mouvements-daily.timer
systemctl restart mouvements.service mouvements-daily.timer
echo "Serving at http://127.0.0.1:8001; a proxy with TLS goes in front: docs/examples/Caddyfile or nginx.conf"
