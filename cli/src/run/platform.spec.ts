import assert from 'node:assert/strict'
import { constants } from 'node:os'
import { test } from 'node:test'
import { forwardedSignals, pipePath } from './platform.ts'

test('Windows gets the signals that it has, other systems those of terminals and users too', () => {
  assert.deepEqual(forwardedSignals('win32'), ['SIGTERM', 'SIGHUP', 'SIGINT'])
  for (const platform of ['linux', 'darwin'] as const)
    assert.deepEqual(
      forwardedSignals(platform).filter((name) => constants.signals[name] === undefined),
      [],
    )
  assert.equal(forwardedSignals('linux').length, 7)
})

test('a pipe of Windows has a name of letters, digits and hyphens, of one run', () => {
  const [one, other] = ['a1', 'b2'].map((end) => `C:\\Users\\Ann Lee\\AppData\\Local\\Temp\\quipu-run-${end}`)
  assert.equal(
    pipePath(one!, 'gate', 'win32'),
    '\\\\.\\pipe\\C--Users-Ann-Lee-AppData-Local-Temp-quipu-run-a1-gate',
  )
  const names = [one!, other!].flatMap((folder) =>
    ['gate', 'steps'].map((name) => pipePath(folder, name, 'win32')),
  )
  assert.equal(new Set(names).size, 4)
  assert.equal(pipePath('/tmp/quipu-run-a1', 'gate', 'linux'), '/tmp/quipu-run-a1/gate')
})
