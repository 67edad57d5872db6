import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { names } from '../../packaging/names.ts'
import { quipu } from '../support/quipu-process.ts'

// A short check of the files. `npm run test:long` builds and runs them (containers.spec.ts).

const root = join(import.meta.dirname, '..', '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const containerfile = read('Containerfile').replaceAll('\\\n', ' ')
const instructions = containerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line))
const instruction = (name: string) =>
  instructions.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1)

test('the image runs as a user without rights, stops by SIGTERM, checks its health and keeps no npm', () => {
  assert.match(instruction('USER') ?? '', /^[1-9]\d*:[1-9]\d*$/)
  assert.equal(instruction('STOPSIGNAL'), 'SIGTERM')
  assert.match(instruction('HEALTHCHECK') ?? '', /CMD \["quipu", "status"\]$/)
  assert.match(instruction('CMD') ?? '', /"--quiet"/)
  assert.equal(instruction('VOLUME'), '/data')
  for (const line of instructions) assert.doesNotMatch(line, /\b(npm|npx|curl|apt-get)\b/)
})

test('the image takes the tarball of the package, and nothing else of the checkout', () => {
  const copied = instructions.filter((line) => /^(ADD|COPY (?!--from))/.test(line))
  assert.deepEqual(copied, [`ADD dist/${names.broker}-*.tgz /opt/`])
  assert.deepEqual(read('.dockerignore').trim().split('\n'), ['*', `!dist/${names.broker}-*.tgz`])
})

test('settings in the container files exist', async () => {
  const set = [
    ...(instruction('ENV') ?? '').matchAll(/\b(QUIPU_\w+)=(\S+)/g),
    ...read('compose.yaml').matchAll(/^ +(QUIPU_\w+): (.+)/gm),
  ].map(([, name, value]) => [name!, value!.replace(/\$\{POSTGRES_PASSWORD[^}]*\}/, 'secret')] as const)
  assert.deepEqual(
    set.map(([name]) => name),
    ['QUIPU_DATA', 'QUIPU_HOST', 'QUIPU_STORE'],
  )
  const { code, stderr } = await quipu(['config', 'show'], { env: Object.fromEntries(set) })
  assert.equal(code, 0, stderr)
})

test('settings of the nodes in the compose file of a cluster exist', async () => {
  const compose = read('docs/guides/deploy/cluster-compose.yaml')
  const set = [...compose.matchAll(/^ +(QUIPU_\w+): (.+)/gm)].map(
    ([, name, value]) =>
      [
        name!,
        value!
          .replace(/\$\{\w+:-(\w+)\}/, '$1')
          .replace(/\$\{\w+[^}]*\}/, 'a'.repeat(48))
          .replaceAll(/['"]/g, ''),
      ] as const,
  )
  assert.deepEqual(set.filter(([name]) => name === 'QUIPU_NODE_URL').length, 3)
  const { code, stderr } = await quipu(['config', 'show'], { env: Object.fromEntries(set) })
  assert.equal(code, 0, stderr)
})

test('compose publishes Quipu only to this machine, without rights, on a read-only root', () => {
  const [service] = /^ {2}quipu:\n(?: {4}.*\n)+/m.exec(read('compose.yaml'))!
  assert.match(service, /^ {6}- 127\.0\.0\.1:\$\{QUIPU_PORT:-7878\}:7878$/m)
  assert.match(service, /^ {4}read_only: true$/m)
  assert.match(service, /^ {4}cap_drop: \[ALL\]$/m)
  assert.match(service, /^ {4}security_opt: \[no-new-privileges\]$/m)
})

test('no page shows a command that would install the package of somebody else', () => {
  const pages = globSync(
    '{*.{md,txt,yaml},{docs,examples,packaging,python,sdk,server,testing,tests}/**/*.{md,txt,ts,js,cjs,py,yml}}',
    {
      cwd: root,
      exclude: (path) => path.includes('node_modules'),
    },
  )
  assert(pages.length > 500)
  const wrong = pages.filter((page) =>
    /\b(np(x|m (i|install|exec))|pip install)( -\S+| --\S+)* quipu(?![-\w])/.test(read(page)),
  )
  assert.deepEqual(wrong, [])
})
