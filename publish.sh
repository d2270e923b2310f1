#!/usr/bin/env bash
# Publish the service: wraps `datasette publish` and `datasette package`. `./publish.sh -h` explains.
set -eo pipefail # not -u: bash 3.2, which macOS has, takes an empty array for an unset one

usage() {
  cat <<'HELP'
Usage: ./publish.sh fly|cloudrun|heroku|docker [APP] [options] [-- OPTIONS OF datasette publish]

Publishes data/movements.db with this plugin, metadata.yml and the Datasette it is pinned to.
APP is the name on the host (default: mouvements).

  --db PATH         the movements database (default: data/movements.db)
  --dry-run [DIR]   leave the build context in DIR (default: build/TARGET) and deploy nothing
  -h, --help        this text

Keys and quotas must outlive a deploy; without a place for them the pages are served, and no key is taken:
  fly, docker       in /data/internal.sqlite3 on a volume, or in PostgreSQL
  cloudrun, heroku  in PostgreSQL only: these hosts have no disk that lasts

Environment:
  MOUVEMENTS_STORE       postgresql://... for keys and quotas
  MOUVEMENTS_CONTACT     address shown to the public for questions and personal data
  MOUVEMENTS_PUBLIC_URL  address the public sees, when a proxy hides it; refused without a contact
  DATASETTE_SECRET       signs cookies; default: made once and kept in var/datasette-secret
  FLY_REGION             default cdg; CLOUDSDK_RUN_REGION: default europe-west9

The first four go to the service's own settings on the host (fly: secrets; cloudrun, heroku: environment),
never into the image (docker: give them to `docker run`), and never as arguments, which everybody on this
machine could read: by standard input or a file, and to Heroku, whose tool takes neither, by its API with curl.
The contact and the public address may stand in metadata.yml instead: `contact`, `public_url`.
The database is copied with its write-ahead log and checked first; nothing is deployed if that fails.

  ./publish.sh fly mouvements
  MOUVEMENTS_STORE=$(cat var/store) ./publish.sh cloudrun mouvements -- --max-instances 4 --memory 1Gi
  ./publish.sh docker --dry-run /tmp/context
HELP
}

refuse() {
  echo "publish.sh: $1" >&2
  exit "${2:-1}"
}

# Run one step; what it printed on the way tells why.
must() {
  "$@" || refuse "'$1 $2 ...' failed: nothing new is published"
}

need() {
  command -v "$1" >/dev/null || refuse "$1 is not on PATH: $2"
}

here=$(cd "$(dirname "$0")" && pwd)
# An environment that is active comes before the clone's own.
[ -n "$VIRTUAL_ENV" ] || PATH="$here/.venv/bin:$PATH"
target='' app='' database=$here/data/movements.db dry_run='' context='' passed_on=()

while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --db)
      [ $# -gt 1 ] || refuse "--db needs a path" 2
      database=$2 && shift
      ;;
    --dry-run)
      dry_run=yes
      case ${2:-} in '' | -*) ;; *) context=$2 && shift ;; esac
      ;;
    --) shift && passed_on=("$@") && break ;;
    -*) refuse "unknown option $1 (-h explains)" 2 ;;
    *)
      if [ -z "$target" ]; then target=$1; elif [ -z "$app" ]; then app=$1; else refuse "unexpected $1 (-h explains)" 2; fi
      ;;
  esac
  shift
done

case $target in
  fly) tool=flyctl ;;
  cloudrun) tool=gcloud ;;
  heroku) tool=heroku ;;
  docker) tool=docker ;;
  '') refuse "which target? fly, cloudrun, heroku or docker (-h explains)" 2 ;;
  *) refuse "unknown target $target: fly, cloudrun, heroku or docker" 2 ;;
esac
app=${app:-mouvements}
[[ $app =~ ^[a-z][a-z0-9-]*$ ]] || refuse "APP must be lower-case letters, digits and hyphens, not $app" 2

# --- Everything that can be refused is refused before anything is changed anywhere.

case ${MOUVEMENTS_STORE:-} in
  postgresql://* | postgres://*) store=postgresql ;;
  '') store=volume ;;
  *) refuse "MOUVEMENTS_STORE must start with postgresql://" ;;
esac
if [ $store = volume ] && { [ "$target" = cloudrun ] || [ "$target" = heroku ]; }; then
  refuse "$target keeps no disk, keys would be lost: set MOUVEMENTS_STORE=postgresql://..."
fi
[ -n "$dry_run" ] || need "$tool" "install and configure it first"
[ -n "$dry_run" ] || [ "$target" != heroku ] || need curl "Heroku is told its settings with it"
[ -f "$database" ] || refuse "no database at $database: .venv/bin/datasette mouvements build makes it"
if [ -z "$dry_run" ] && git -C "$here" rev-parse --git-dir >/dev/null 2>&1; then
  [ -z "$(git -C "$here" status --porcelain -- plugins metadata.yml constraints.txt)" ] ||
    refuse "plugins/, metadata.yml or constraints.txt differ from the last commit: commit or undo first"
fi
need datasette ".venv/bin/pip install -e '.[publish]'"
# Of metadata.yml and the environment, as the service reads them: names of settings, no value.
named=$(datasette mouvements contact --metadata "$here/metadata.yml") || {
  datasette mouvements --help >/dev/null 2>&1 || refuse "the plugin is not installed: .venv/bin/pip install -e '.[publish]'"
  refuse "the settings of metadata.yml cannot be read"
}
case $named in public_url) refuse "public_url is set and contact (MOUVEMENTS_CONTACT) is not: whoever is named must have somebody to write to" ;; esac
case $named in *public_url*)
  datasette mouvements contact --metadata "$here/metadata.yml" --db "$database" >/dev/null || refuse "invented people would be public" ;;
esac
if [ "$target" = fly ]; then
  datasette publish fly --help >/dev/null 2>&1 || refuse "datasette-publish-fly is not installed: .venv/bin/pip install -e '.[publish]'"
fi
if [ -n "$dry_run" ]; then
  context=${context:-$here/build/$target}
  if [ -e "$context" ] && [ -n "$(ls -A "$context")" ]; then refuse "$context is not empty"; fi
  mkdir -p "$context" || refuse "cannot make $context"
  context=$(cd "$context" && pwd)
fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# The served name comes from the file's: always movements.db, whatever the path.
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("vacuum into ?", sys.argv[2:])' \
  "$database" "$stage/movements.db" 2>/dev/null || refuse "$database cannot be copied"
datasette mouvements check "$stage/movements.db" >/dev/null || refuse "$database does not pass 'datasette mouvements check'"
chmod 644 "$stage/movements.db"

# Only what git would keep: no caches, no egg-info; and what published services start with.
cp "$here/metadata.yml" "$stage/metadata.yml"
mkdir "$stage/plugins"
(cd "$here/plugins" && tar -cf - --exclude=__pycache__ --exclude='*.egg-info' --exclude='*.py[co]' .) | tar -xf - -C "$stage/plugins"
cat >"$stage/plugins/start.py" <<'PYTHON'
"""Run by `datasette serve` before it starts: the faster event loop, and no keys that die with a container."""

import asyncio
import os
import sys

import uvloop

asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
if "--internal" in sys.argv:
    at = sys.argv.index("--internal")
    volume = os.path.dirname(sys.argv[at + 1])
    if not os.path.isdir(volume):
        # Pages are served all the same: a container that ended here would be started for ever.
        print(f"{volume} is not there: mount a volume on it, or there is no place for keys", file=sys.stderr)
        os.execv(sys.executable, [sys.executable, "-m", "datasette", *sys.argv[1:at], *sys.argv[at + 2 :]])
if "DATASETTE_SECRET" not in os.environ:
    print("DATASETTE_SECRET is not set: everybody is signed out whenever this container starts", file=sys.stderr)
PYTHON

# `datasette publish` writes these unquoted into a shell line: only `name==version` means nothing to it.
install=()
while read -r requirement; do
  case $requirement in
    '#'* | pypdfium2==* | selectolax==*) ;; # the extra `lists`: a host serves, and makes no lists
    *) install+=(--install "$requirement") ;;
  esac
done <"$here/constraints.txt"

# SQL is not switched off with default_allow_sql: the plugin keeps it to key holders and accounts, who may use it.
options="--setting allow_download off --setting allow_csv_stream off --setting suggest_facets off"
case $target in fly | heroku) options+=" --setting force_https_urls on" ;; esac
# Never /data/*.db: the fly start line serves those to everybody.
[ $store = postgresql ] || options+=" --internal /data/internal.sqlite3"

common=("$stage/movements.db" --metadata "$stage/metadata.yml" --plugins-dir plugins "${install[@]}" --extra-options "$options")
note=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || true)
[ -z "$note" ] || common+=(--version-note "$note")
cd "$stage" # datasette publish takes --plugins-dir as given, relative to here

# --- What the host keeps for the service: NAME=VALUE, one a line.

# Fails, step by step, where there can be none: `set -e` is off in what stands before `||`.
datasette_secret() {
  if [ -n "${DATASETTE_SECRET:-}" ]; then
    echo "$DATASETTE_SECRET"
    return
  fi
  if [ ! -s "$here/var/datasette-secret" ]; then
    mkdir -p "$here/var" || return
    (umask 077 && head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$here/var/datasette-secret") || return
  fi
  cat "$here/var/datasette-secret"
}

if [ -z "$dry_run" ] && [ "$target" != docker ]; then
  secret=$(datasette_secret) || refuse "no secret for cookies can be kept in $here/var/datasette-secret: set DATASETTE_SECRET"
fi

host_settings() {
  echo "DATASETTE_SECRET=$secret"
  local name
  for name in MOUVEMENTS_STORE MOUVEMENTS_CONTACT MOUVEMENTS_PUBLIC_URL; do
    [ -z "${!name:-}" ] || echo "$name=${!name}"
  done
}

# The same as an object of JSON, between two texts, in a file that only this user can read.
settings_file() {
  local setting value object=''
  while IFS= read -r setting; do
    value=${setting#*=}
    value=${value//\\/\\\\}
    value=${value//\"/\\\"}
    object+="${object:+, }\"${setting%%=*}\": \"$value\""
  done < <(host_settings)
  (umask 077 && echo "${1:-}{$object}${2:-}" >"$stage/settings.json")
}

if [ -z "$named" ]; then # with a public address, it was refused above
  echo "publish.sh: contact (MOUVEMENTS_CONTACT) is not set: the pages show no address for questions and personal data" >&2
fi

# --- First on PATH from here on: what stands for the host's tool.

mkdir "$stage/bin"
cat >"$stage/bin/current" <<'STAND_IN'
#!/bin/sh
# Datasette's Dockerfile asks for Python 3.11.0 on Debian 11 and holds a secret, for cookies, that whoever gets
# the image could read. Its runtime.txt, which Heroku has deprecated, asks for 3.11.0, which heroku-24 does not have.
if [ -e runtime.txt ]; then rm runtime.txt && echo "$PYTHON" >.python-version; fi
[ -e Dockerfile ] || exit 0
sed -e "s/^FROM .*/FROM python:$PYTHON-slim-trixie/" -e '/^ENV DATASETTE_SECRET /d' Dockerfile >Dockerfile.new
mv Dockerfile.new Dockerfile
STAND_IN
cat >"$stage/bin/$tool" <<'STAND_IN'
#!/bin/sh
# Run in the folder that is about to be sent.
case "$1 $2" in "builds:create "* | "builds submit" | "build "* | "deploy "*) current ;; esac
STAND_IN
export PYTHON=3.13 # of the Dockerfile too
if [ -n "$dry_run" ]; then # answers what `datasette publish` asks, and keeps the context it hands over
  cat >>"$stage/bin/$tool" <<'STAND_IN'
case "$*" in
  "config get-value project") echo dry-run ;;
  plugins) echo heroku-builds ;;
  "apps:list --json") echo '[]' ;;
  apps:create*) echo '{"name": "dry-run"}' ;;
  "builds submit"* | build\ * | builds:create*) cp -rL . "$CONTEXT" ;;
esac
STAND_IN
  export CONTEXT=$context
else # `datasette package` and `publish heroku` end with status 0 when the tool has failed: remember it
  cat >>"$stage/bin/$tool" <<'STAND_IN'
"$TOOL" "$@" && exit
status=$?
echo "$*" >"$FAILED"
exit $status
STAND_IN
  TOOL=$(command -v "$tool")
  export TOOL FAILED=$stage/failed
fi
chmod +x "$stage/bin/$tool" "$stage/bin/current"

publish() {
  rm -f "$stage/failed"
  PATH="$stage/bin:$PATH" datasette "$@" "${common[@]}" "${passed_on[@]}" ||
    refuse "'datasette $1 ...' failed: nothing new is published"
  case $target in heroku | docker)
    [ ! -e "$stage/failed" ] || refuse "'$tool $(cat "$stage/failed")' failed: nothing new is published"
    ;;
  esac
}

publish_fly() {
  local volume=()
  [ $store = postgresql ] || volume=(--create-volume 1 --volume-name mouvements)
  if [ -n "$dry_run" ]; then
    volume+=(--generate-dir "$context")
  else
    flyctl status --app "$app" --json >/dev/null 2>&1 || must flyctl apps create --name "$app"
    host_settings | must flyctl secrets import --stage --app "$app"
  fi
  publish publish fly --app "$app" --region "${FLY_REGION:-cdg}" "${volume[@]}"
  [ -z "$dry_run" ] || (cd "$context" && "$stage/bin/current") # nothing is sent, so no tool was run
}

publish_cloudrun() {
  export CLOUDSDK_RUN_REGION=${CLOUDSDK_RUN_REGION:-europe-west9} CLOUDSDK_CORE_DISABLE_PROMPTS=1
  if [ -z "$dry_run" ]; then
    settings_file '{"--update-env-vars": ' '}' # flags in a file, as gcloud takes them
    # A service keeps its environment from one deploy to the next, so it is set beforehand; a new
    # service gets it with a placeholder, because the real one would have no place for keys yet.
    if gcloud run services describe "$app" --platform=managed >/dev/null 2>&1; then
      must gcloud run services update "$app" --platform=managed --flags-file "$stage/settings.json"
    else
      must gcloud run deploy "$app" --platform=managed --allow-unauthenticated \
        --image us-docker.pkg.dev/cloudrun/container/hello --flags-file "$stage/settings.json"
    fi
  fi
  publish publish cloudrun --service "$app" --artifact-region "$CLOUDSDK_RUN_REGION"
}

publish_heroku() {
  if [ -z "$dry_run" ]; then
    heroku apps:info --app "$app" >/dev/null 2>&1 || must heroku apps:create "$app"
    settings_file
    local token
    token=$(must heroku auth:token)
    # `heroku config:set` takes values as arguments alone. What is answered holds them too.
    echo "header = \"Authorization: Bearer $token\"" | must curl --config - --silent --show-error --fail \
      --request PATCH --header 'Accept: application/vnd.heroku+json; version=3' \
      --header 'Content-Type: application/json' --data-binary "@$stage/settings.json" \
      "https://api.heroku.com/apps/$app/config-vars" >/dev/null
  fi
  publish publish heroku --name "$app"
}

publish_docker() {
  publish package --tag "$app"
  [ -z "$dry_run" ] || return 0
  local given="-v $app:/data"
  [ $store = volume ] || given="" # MOUVEMENTS_STORE in .env
  echo "Run it: docker run -p 127.0.0.1:8001:8001 $given --env-file .env $app (DATASETTE_SECRET, MOUVEMENTS_CONTACT in .env)"
}

"publish_$target"
[ -z "$dry_run" ] || echo "The build context is in $context; nothing was deployed."
