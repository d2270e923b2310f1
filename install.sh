#!/usr/bin/env bash
# This clone as a service of this machine, with systemd: the service, and the run of every morning.
set -eo pipefail

usage() {
  cat <<'HELP'
Usage: sudo MOUVEMENTS_CONTACT=... MOUVEMENTS_PUBLIC_URL=https://... ./install.sh

Copies this clone's code, with what `make morning` made, to /srv/mouvements, and starts it there as the user `mouvements`.
Run it again to upgrade. Lists, databases and keys there stay, and so does /etc/mouvements.env. The code, metadata.yml,
docs/examples and the units are replaced: change these in the clone, a unit with `systemctl edit`.

Environment (the first time; then /etc/mouvements.env has them):
  MOUVEMENTS_CONTACT     address shown to the public for questions and personal data
  MOUVEMENTS_PUBLIC_URL  address the public sees, of the proxy in front
  MOUVEMENTS_ALARM       who is mailed when a unit fails (default: root@localhost)
  MOUVEMENTS_HEARTBEAT   address of a monitor, asked after each morning (optional)
HELP
}

refuse() {
  echo "install.sh: $1" >&2
  exit "${2:-1}"
}

case ${1:-} in
  '') ;;
  -h | --help) usage && exit 0 ;;
  *) refuse "unknown option $1 (-h explains)" 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
# DESTDIR: a folder that stands for this machine's root when it is tested. Users, units and the virtual environment are real.
home=${DESTDIR:-}/srv/mouvements settings=${DESTDIR:-}/etc/mouvements.env units=${DESTDIR:-}/etc/systemd/system
served=data/movements.db
code=(plugins docs/examples metadata.yml constraints.txt pyproject.toml README.md LICENSE MANIFEST.in)
umask 022

# Whether a movements file says that its people are invented.
invented() {
  python3 -c 'import pathlib, sqlite3, sys
db = sqlite3.connect(pathlib.Path(sys.argv[1]).resolve().as_uri() + "?mode=ro", uri=True)
sys.exit(not db.execute("select 1 from _publication where cle = ?", ["invente"]).fetchone())' "$1" 2>/dev/null
}

# Whether movements are served on this machine.
answers() {
  python3 -c 'import urllib.request as ask
ask.build_opener(ask.ProxyHandler({})).open("http://127.0.0.1:8001/-/mouvements/etat", timeout=1)' 2>/dev/null
}

# A copy of what the clone has, unless the service has its own: whole, and its user's, or not there at all.
put() {
  if [ -e "$home/$1" ] || [ ! -e "$here/$1" ]; then return; fi
  rm -rf "$home/$1.part"
  cp -RH --preserve=timestamps "$here/$1" "$home/$1.part"
  chown -R mouvements: "$home/$1.part"
  mv "$home/$1.part" "$home/$1"
}

# --- Everything that can be refused is refused before anything is changed.

[ "$(id -u)" = 0 ] || refuse "run it with sudo"
command -v systemctl >/dev/null || refuse "systemctl is not on PATH: this machine has no systemd"
[ "$here" != "$home" ] || refuse "run it in a clone elsewhere: it copies to $home"
python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  refuse "python3 must be 3.11 or newer and make virtual environments: apt-get install python3-venv"
if [ ! -e "$settings" ]; then
  [ -n "$MOUVEMENTS_CONTACT" ] || refuse "set MOUVEMENTS_CONTACT: whoever is named must have somebody to write to"
  [ -n "$MOUVEMENTS_PUBLIC_URL" ] || refuse "set MOUVEMENTS_PUBLIC_URL"
fi
if [ ! -e "$home/$served" ] || invented "$home/$served"; then
  [ -e "$here/$served" ] || refuse "no movements yet: make morning"
  ! invented "$here/$served" || refuse "$served holds invented people: make morning"
  replaced=yes
fi
[ -e "$units/mouvements.service" ] || ! answers || refuse "http://127.0.0.1:8001 answers already: end what serves there"

# --- Nothing runs while its code is replaced.

if [ -e "$units/mouvements.service" ]; then
  trap 'echo "install.sh: the service is stopped: mend what is said above, and run it again" >&2' EXIT
  systemctl stop mouvements-daily.timer mouvements-daily.service mouvements.service
fi
id mouvements >/dev/null 2>&1 || useradd --system --home-dir /srv/mouvements --shell /usr/sbin/nologin mouvements
mkdir -p "$home/data"
rm -rf "$home/plugins"
found=()
for name in "${code[@]}"; do [ ! -e "$here/$name" ] || found+=("$name"); done
tar -C "$here" --mode=a+rX --exclude=__pycache__ --exclude='*.egg-info' -cf - "${found[@]}" | tar -C "$home" --no-same-owner -xf -
(
  umask 077
  mkdir -p "$home/var"
  put lists
  put archive
  mkdir -p "$home/lists"
)
[ -z "$replaced" ] || rm -f "$home/$served"
put $served
[ -z "$replaced" ] || chmod 644 "$home/$served"
chmod go-rwx "$home/var" "$home/lists"
chown mouvements: "$home/var" "$home/data" "$home/lists"
[ -x "$home/.venv/bin/pip" ] || python3 -m venv "$home/.venv"
"$home/.venv/bin/pip" install --quiet --disable-pip-version-check --constraint "$home/constraints.txt" -e "${home}[deploy,lists]"
if [ -e "$settings" ]; then
  [ -z "$MOUVEMENTS_CONTACT$MOUVEMENTS_PUBLIC_URL$MOUVEMENTS_ALARM$MOUVEMENTS_HEARTBEAT" ] ||
    echo "Not taken from the environment: $settings stays as it is; change it there"
else
  archive=
  [ ! -d "$home/archive" ] || archive=archive
  secret=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
  (umask 077 && printf '%s\n' "DATASETTE_SECRET=$secret" "MOUVEMENTS_CONTACT=$MOUVEMENTS_CONTACT" \
    "MOUVEMENTS_PUBLIC_URL=$MOUVEMENTS_PUBLIC_URL" "MOUVEMENTS_ALARM=${MOUVEMENTS_ALARM:-root@localhost}" \
    ${MOUVEMENTS_HEARTBEAT:+"MOUVEMENTS_HEARTBEAT=$MOUVEMENTS_HEARTBEAT"} \
    ${archive:+"MOUVEMENTS_ARCHIVES=$archive"} >"$settings.part")
  mv "$settings.part" "$settings"
fi
cp "$here"/docs/examples/mouvements{.service,-daily.service,-daily.timer,-failed@.service} "$units"/
systemctl daemon-reload
systemctl enable --quiet mouvements.service mouvements-daily.timer
systemctl restart mouvements.service mouvements-daily.timer
trap - EXIT
for _ in {1..30}; do
  if answers; then
    echo "Serving at http://127.0.0.1:8001; a proxy with TLS goes in front: docs/examples/Caddyfile or nginx.conf"
    exit
  fi
  sleep 1
done
journalctl --unit=mouvements.service --lines=30 --no-pager >&2
refuse "the service does not answer at http://127.0.0.1:8001/-/mouvements/etat: its log is above"
