import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { callAsOperator, newFolder, plainEnvironment } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'
import { block, without } from './page.ts'

const COMMAND = '/usr/local/bin/quipu'
const board = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '..', '..', 'docs', 'guides', 'deploy', 'grafana-board.json'),
    'utf8',
  ),
)

/** The unit of the page with the program of this test. */
function writeUnit(): { readonly unit: string; readonly command: string } {
  const command = join(newFolder(), 'quipu')
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 })
  const unit = join(newFolder(), 'quipu.service')
  writeFileSync(unit, block('ini', '[Service]').replaceAll(COMMAND, command))
  return { unit, command }
}

test('systemd accepts the unit without a message', { skip: without('systemd-analyze') }, () => {
  const { unit } = writeUnit()
  const verify = () => spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  const { status, stderr } = verify()
  assert.deepEqual([status, stderr], [0, ''])
  // An unknown key is only a message.
  appendFileSync(unit, '[Service]\nUnknownKey=1\n')
  assert.match(verify().stderr, /UnknownKey/)
})

test('systemd accepts secrets as files, and every secret of the guide is read from its file', {
  skip: without('systemd-analyze'),
}, async () => {
  const { unit } = writeUnit()
  const more = block('ini', 'LoadCredential')
  appendFileSync(unit, more)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  const folder = newFolder()
  for (const [, name, path] of more.matchAll(/^LoadCredential=([\w-]+):(.+)$/gm)) {
    assert.equal(path, `/etc/quipu/${name}`)
    writeFileSync(
      join(folder, name!),
      name === 'store' ? 'postgres://a:hunter2@b/c\n' : `${'x'.repeat(40)}\n`,
    )
  }
  const env = Object.fromEntries(
    [...more.matchAll(/(QUIPU_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!.replace('%d', folder)]),
  )
  const shown = await command(['config', 'show'], { env })
  assert.equal(shown.code, 0, shown.stderr)
  for (const name of Object.keys(env)) assert.match(shown.stdout, new RegExp(`\\b${name}\\b`))
  assert.doesNotMatch(shown.stdout, /hunter2|xxxx/)
})

test('systemd rates the unit as well protected', { skip: without('systemd-analyze') }, () => {
  const { unit } = writeUnit()
  const line = ['security', '--offline=true', '--threshold=20', '--no-pager', unit]
  const { status, stdout } = spawnSync('systemd-analyze', line, { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})

async function printed(line: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await command(line, { env })
  assert.equal(code, 0, stderr)
  return stdout
}

test('the commands of the unit start the server, wait for it, and SIGTERM ends it with exit code 0', async (t) => {
  const { unit, command: quipu } = writeUnit()
  const lineOf = (key: string) =>
    new RegExp(`^${key}=${quipu} (.+)$`, 'm').exec(readFileSync(unit, 'utf8'))![1]!.split(' ')
  // The settings behind a proxy: nobody serves the public URL.
  const proxied = [...block('sh', 'QUIPU_TRUST_PROXY').matchAll(/^(QUIPU_\w+)=(.+)$/gm)]
  const settings = Object.fromEntries(proxied.map(([, name, value]) => [name!, value!]))
  assert.match(settings['QUIPU_PUBLIC_URL']!, /^https:.*example/)
  const env = plainEnvironment({ ...settings, QUIPU_DATA: newFolder(), QUIPU_PORT: '0' })
  const server = spawn(quipu, lineOf('ExecStart'), { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => server.kill('SIGKILL'))
  let output = ''
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (text) => {
      output += text
    })
  const waiting = spawn(quipu, lineOf('ExecStartPost'), { env, stdio: 'ignore' })
  assert.deepEqual(await once(waiting, 'exit'), [0, null])
  const { keyId, secretKey } = JSON.parse(readFileSync(join(env['QUIPU_DATA']!, 'credentials.json'), 'utf8'))
  assert.match(secretKey, /^.{20,}$/)
  const shown = JSON.parse(await printed(['status', '--json'], env))
  assert.equal(shown.publicUrl, settings['QUIPU_PUBLIC_URL'])
  assert.match(shown.url, /^http:\/\/127\.0\.0\.1:/)
  assert.match(await printed(['env'], env), new RegExp(`APCA_API_BASE_URL='${shown.url}'`))
  await printed(['store', 'backup', join(newFolder(), 'backup')], env)
  assert.match(await printed(['open', '--print'], env), /^https:\/\/broker\.example\.com\//)
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
  assert.match(output, /listens on/)
  assert(!output.includes(secretKey) && !output.includes(keyId), 'the log has no key')
})

test('logrotate moves the log of a running server, which continues in the same file', {
  skip: without('logrotate'),
}, async () => {
  const data = newFolder()
  const log = join(data, 'server.log')
  const env = plainEnvironment({ QUIPU_DATA: data })
  const quipu = (...line: string[]) => execFileSync(process.execPath, [program, ...line], { env })
  const { url } = JSON.parse(String(quipu('start', '--detach', '--json', '--port', '0')))
  try {
    const request = async (path: string): Promise<void> => {
      await fetch(`${url}/${path}`)
      while (!readFileSync(log, 'utf8').includes(path)) await sleep(20)
    }
    await request('before-rotation')
    const rules = join(newFolder(), 'quipu')
    const paths = /^\/var\/log\/quipu\.log \/var\/lib\/quipu\/server\.log /
    const [found] = [block('', 'copytruncate')].filter((text) => paths.test(text))
    writeFileSync(rules, found!.replace(paths, `${log} `), { mode: 0o644 })
    execFileSync('logrotate', ['--force', '--state', join(newFolder(), 'state'), rules], { stdio: 'pipe' })
    await request('after-rotation')
    assert.match(gunzipSync(readFileSync(`${log}.1.gz`)).toString(), /before-rotation/)
    // Without append mode the file would begin with a gap of zero bytes.
    assert.match(readFileSync(log, 'utf8'), /^\{[^\n]*after-rotation/)
  } finally {
    quipu('stop')
  }
})

test('the metrics of the Grafana board exist', async () => {
  const { body } = await callAsOperator(broker, 'GET', '/metrics')
  const known = new Set([...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  const expressions: string[] = board.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
  const used = expressions.flatMap((text) => text.match(/\b(quipu|process)_\w+/g) ?? [])
  assert(used.length > 20)
  assert.deepEqual(
    used.filter((name) => !known.has(name.replace(/_bucket$/, ''))),
    [],
  )
})

test('every metric of Quipu is on the board', async () => {
  const { body } = await callAsOperator(broker, 'GET', '/metrics')
  const text = JSON.stringify(board)
  const names: string[] = [...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(
    names.filter((name) => !text.includes(name)),
    [],
  )
})

test('Prometheus accepts the scrape configuration', { skip: without('promtool') }, () => {
  const file = join(newFolder(), 'prometheus.yml')
  const secret = join(dirname(file), 'secret')
  writeFileSync(secret, broker.brokerSecret)
  writeFileSync(file, block('yaml', 'scrape_configs').replace('/etc/prometheus/quipu-secret', secret))
  assert.match(execFileSync('promtool', ['check', 'config', file], { encoding: 'utf8' }), /SUCCESS/)
})
