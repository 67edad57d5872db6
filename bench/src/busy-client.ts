import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ready } from './contender-process.ts'

/** Until connections stand and code is warm. */
const WARM_MS = 500

/** Runs something while a world is under full load from another process; gives that load's calls a second as well. */
export async function whileBusy<Value>(
  ready: Ready,
  run: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly perSecond: number }> {
  const child = fork(join(import.meta.dirname, 'busy-client.child.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.send(ready)
  const startMs = performance.now()
  await sleep(WARM_MS)
  const value = await run()
  const seconds = (performance.now() - startMs) / 1000
  const told = once(child, 'message')
  child.send('stop')
  const [statuses] = (await told) as [readonly (readonly [number, number])[]]
  const [[status, calls] = [0, 0]] = statuses
  if (statuses.length !== 1 || status !== 200)
    throw new Error(`the busy world: expected answers of 200, received ${JSON.stringify(statuses)}`)
  return { value, perSecond: calls / seconds }
}
