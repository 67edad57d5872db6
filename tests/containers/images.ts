import { cpSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { names } from '../../packaging/names.ts'
import { pack } from '../../packaging/pack.ts'
import { debianRoot, type Engine } from './engine.ts'

// There is no image registry here, so the tests build images that stand for the public ones.

export const QUIPU = 'localhost/quipu'
export const POSTGRES = 'localhost/postgres'
export const HAPROXY = 'localhost/haproxy'
export const DEBIAN = 'localhost/debian'
export const NODE = 'localhost/node'

const root = join(import.meta.dirname, '..', '..')

/** Builds the image of the Containerfile from the packed server, on Debian and the Node of the tests. */
export async function buildQuipu(engine: Engine): Promise<void> {
  const base = context(engine, 'debian', 'FROM scratch\nADD root.tar /\n')
  linkOrCopy(debianRoot('base', 'ca-certificates'), join(base, 'root.tar'))
  engine.build(DEBIAN, base)
  const node = context(engine, 'node', 'FROM scratch\nCOPY node /usr/local/bin/node\n')
  cpSync(process.execPath, join(node, 'node'), { dereference: true })
  engine.build(NODE, node)
  const quipu = context(engine, 'quipu', readFileSync(join(root, 'Containerfile'), 'utf8'))
  cpSync(join(root, '.dockerignore'), join(quipu, '.dockerignore'))
  await pack(join(quipu, 'dist'), [names.broker])
  engine.build(QUIPU, quipu, '--build-arg', `BASE=${DEBIAN}`, '--build-arg', `NODE=${NODE}`)
}

/** PostgreSQL of Debian with the variables, the volume and the first-start scripts of the public image. */
export function buildPostgres(engine: Engine): void {
  const text = [
    'FROM scratch',
    'ADD root.tar /',
    'COPY start.sh /start.sh',
    'ENV PGDATA=/var/lib/postgresql/data PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'RUN install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data && install -d -o postgres -g postgres -m 3777 /var/run/postgresql',
    'STOPSIGNAL SIGINT',
    'ENTRYPOINT ["sh", "/start.sh"]',
  ]
  const folder = context(engine, 'postgres', `${text.join('\n')}\n`)
  linkOrCopy(debianRoot('postgres', 'postgresql'), join(folder, 'root.tar'))
  writeFileSync(join(folder, 'start.sh'), startScript)
  engine.build(POSTGRES, folder)
}

const startScript = `set -e
as="setpriv --reuid=postgres --regid=postgres --init-groups"
install -d -o postgres -g postgres -m 0700 "$PGDATA" /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password && chown postgres /tmp/password
  $as initdb --username="$POSTGRES_USER" --auth-host=scram-sha-256 --auth-local=trust --pwfile=/tmp/password --encoding=UTF8 > /dev/null
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | $as postgres --single -j postgres > /dev/null
  $as pg_ctl start -w -o "-c listen_addresses=''" > /dev/null
  for file in /docker-entrypoint-initdb.d/*.sh; do [ ! -f "$file" ] || $as sh -e "$file"; done
  $as pg_ctl stop -w > /dev/null
fi
exec $as postgres -c listen_addresses='*'
`

/** HAProxy of Debian with the path of the configuration in the public image. */
export function buildHaproxy(engine: Engine): void {
  const text = [
    'FROM scratch',
    'ADD root.tar /',
    'STOPSIGNAL SIGUSR1',
    'ENTRYPOINT ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]',
  ]
  const folder = context(engine, 'haproxy', `${text.join('\n')}\n`)
  linkOrCopy(debianRoot('haproxy', 'haproxy'), join(folder, 'root.tar'))
  engine.build(HAPROXY, folder)
}

function context(engine: Engine, name: string, containerfile: string): string {
  const folder = join(engine.folder, 'contexts', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'Containerfile'), containerfile)
  return folder
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    cpSync(from, to)
  }
}
