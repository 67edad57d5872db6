import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'
import { waitUntil } from '../support/wait-until.ts'

for (const line of ['start --quiet --detach', 'start --quiet --detach --json'])
  test(`${line} prints no secret`, async (t) => {
    const folder = newFolder()
    const { code, stdout, stderr } = await quipu([...line.split(' '), '--port', '0', '--data', folder])
    t.after(() => command(['stop', '--data', folder]))
    assert.equal(code, 0, stderr)
    assert.match(stdout, /http:\/\/127\.0\.0\.1:\d+/)
    const printed = stdout + stderr + readFileSync(join(folder, 'server.log'), 'utf8')
    for (const [name, value] of Object.entries(
      JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')),
    ))
      assert(name === 'userName' || !printed.includes(String(value)), name)
    assert(!printed.includes('once='), printed)
  })

for (const flags of [['--data', join(newFolder(), 'my data')], []])
  test(`the hints of start ${flags.join(' ')} work in any folder`, async (t) => {
    const [home, cwd] = [newFolder(), newFolder()]
    const { stdout } = await quipu(['start', '--detach', '--port', '0', ...flags], { cwd: home })
    t.after(() => command(['stop', ...flags], { cwd: home }))
    const hint = (name: string) => stdout.match(new RegExp(`^  ${name} +(.*)$`, 'm'))![1]!
    const shell = (script: string) =>
      execFileSync('sh', ['-c', `quipu() { "${process.execPath}" "${program}" "$@"; }\n${script}`], {
        cwd,
        env: plainEnvironment({ XDG_STATE_HOME: newFolder() }),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    assert.match(shell(`${hint('Programs')}; printf %s "$APCA_API_KEY_ID"`), /^PK/)
    assert.match(shell(hint('Stop')), /^stopped /)
  })

/** `script` of util-linux runs a command on a new terminal. */
const hasTerminal = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')

test('the log is readable text on a terminal and JSON elsewhere', { skip: !hasTerminal }, async (t) => {
  const start = `exec "${process.execPath}" "${program}" start --quiet --port 0 --data memory`
  for (const [command, line] of [
    [['script', '-qec', start, '/dev/null'], /^\d\d:\d\d:\d\d\.\d{3} info {2}GET \/healthz status=200 /m],
    [['sh', '-c', start], /^\{"at":".*"message":"GET \/healthz","status":200,/m],
  ] as const) {
    const [program, ...words] = command
    const child = spawn(program, words, { env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
    t.after(() => child.kill())
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text
      })
    const waitFor = (pattern: RegExp) => waitUntil(String(pattern), () => pattern.exec(printed) ?? undefined)
    const [, url] = await waitFor(/listens on (http:\S+)/)
    await fetch(`${url}/healthz`)
    await waitFor(line)
    child.kill()
  }
})

test('the start screen has at most 15 lines and a curl command that works', async (t) => {
  const folder = newFolder()
  const { code, stdout } = await quipu(['start', '--detach', '--port', '0', '--data', folder])
  t.after(() => command(['stop', '--data', folder]))
  assert.equal(code, 0)
  assert(stdout.trimEnd().split('\n').length <= 15, stdout)
  const curl = stdout.split('\n').find((line) => line.trim().startsWith('curl '))
  const order = JSON.parse(
    execFileSync('sh', ['-c', curl!], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  assert.equal(order.symbol, 'AAPL')
  assert.match(order.status, /^(pending_new|accepted)$/)
})
