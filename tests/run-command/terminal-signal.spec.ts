import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { pythonWith } from '../support/python.ts'
import { broker } from '../support/shared-broker.ts'
import { withoutProxies } from './run-process.ts'

const PRESSES = 5

/** Runs a command in a new terminal that none of its files is, and presses Ctrl-C a few times when the file READY exists. */
const pressing = `
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    null = os.open('/dev/null', os.O_RDWR)
    for descriptor in range(3): os.dup2(null, descriptor)
    os.execvp(sys.argv[1], sys.argv[1:])
deadline = time.time() + 30
while not os.path.exists(os.environ['READY']) and time.time() < deadline: time.sleep(0.02)
for press in range(${PRESSES}):
    time.sleep(0.2)
    os.write(terminal, b'\\x03')
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

/** Counts its interrupts. */
const counting = `
  const { writeFileSync } = require('node:fs')
  let count = 0
  process.on('SIGINT', () => { count += 1 })
  setTimeout(() => { writeFileSync(process.env.COUNT, String(count)); process.exit(5) }, 2500)
  writeFileSync(process.env.READY, '')`

const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
/** Starts the counting program in `quipu run`, by another program or by itself. */
function start(by: readonly string[]) {
  const folder = newFolder()
  const [READY, COUNT] = [join(folder, 'ready'), join(folder, 'count')]
  const command = [
    process.execPath,
    program,
    'run',
    '--url',
    broker.url,
    '--',
    process.execPath,
    '-e',
    counting,
  ]
  const [first, ...rest] = [...by, ...command] as [string, ...string[]]
  const env = { ...withoutProxies(plainEnvironment(operator)), READY, COUNT }
  return { child: spawn(first, rest, { env, stdio: 'ignore', detached: true }), READY, COUNT }
}

test('Ctrl-C reaches a program once, also if stdin, stdout and stderr are redirected', {
  skip: process.platform !== 'linux',
}, async () => {
  const { child, COUNT } = start([pythonWith(['pty']), '-c', pressing])
  assert.deepEqual(await once(child, 'exit'), [5, null])
  const count = Number(readFileSync(COUNT, 'utf8'))
  // A process that is busy gets two signals that arrive together as one.
  assert.ok(count >= 1 && count <= PRESSES, `${count} interrupts`)
})

test('an interrupt of quipu alone is forwarded to the program', async () => {
  const { child, READY, COUNT } = start([])
  const waiting = setInterval(() => {
    if (!existsSync(READY)) return
    clearInterval(waiting)
    child.kill('SIGINT')
  }, 10)
  assert.deepEqual(await once(child, 'exit').finally(() => clearInterval(waiting)), [5, null])
  assert.equal(readFileSync(COUNT, 'utf8'), '1')
})
