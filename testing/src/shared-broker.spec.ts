import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { folderOf, runnerPid, sharedBroker } from './shared-broker.ts'

const pids = { pid: 20, ppid: 10 }
const alone = { env: {}, hasParent: false, isThread: false }

const rows: readonly (readonly [string, Partial<Parameters<typeof runnerPid>[0]>, number | undefined])[] = [
  ['a program', {}, undefined],
  ['a child process of a program', { hasParent: true }, undefined],
  ['a process of Vitest', { env: { VITEST: 'true' }, hasParent: true }, 10],
  ['a thread of Vitest', { env: { VITEST: 'true' }, isThread: true }, 20],
  ['a process of Jest', { env: { JEST_WORKER_ID: '2' }, hasParent: true }, 10],
  ['Jest in one process', { env: { JEST_WORKER_ID: '1' } }, 20],
  ['a file of node --test', { env: { NODE_TEST_CONTEXT: 'child-v8' } }, 10],
]

for (const [name, place, runner] of rows)
  test(`${name} shares the broker of ${runner ?? 'nobody'}`, () =>
    assert.equal(runnerPid({ ...alone, ...place }, pids), runner))

/** A process that stands for a test runner. */
function newRunner(t: TestContext) {
  const runner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.after(() => runner.kill('SIGKILL'))
  return { pid: runner.pid!, kill: () => runner.kill('SIGKILL') }
}

const isGone = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    () => false,
    () => true,
  )

test('files that start together get one broker, which ends with a killed test runner', async (t) => {
  const { pid, kill } = newRunner(t)
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => sharedBroker(pid)))
  assert.ok(first)
  assert.deepEqual(others, [first, first])
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
  kill()
  await waitUntil('the broker has ended', () => isGone(first.url))
  await waitUntil('its folder is deleted', () => !existsSync(folderOf(pid)))
})

test('a folder that an earlier runner left is used again', async (t) => {
  const { pid } = newRunner(t)
  mkdirSync(folderOf(pid), { mode: 0o700 })
  assert.ok(await sharedBroker(pid))
})

const skip = process.getuid === undefined && 'files have no modes'
test('a folder that others can write to is not used', { skip }, async (t) => {
  const { pid } = newRunner(t)
  t.after(() => rmSync(folderOf(pid), { recursive: true }))
  mkdirSync(folderOf(pid), { mode: 0o777 })
  assert.equal(await sharedBroker(pid), undefined)
})
