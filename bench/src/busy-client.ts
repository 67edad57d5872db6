import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ready } from './contender-process.ts'

/** Time to open the connections and warm up the code. */
const WARM_MS = 500

/**
 * Calls `run` while another process puts a world under full load, or several worlds by one connection each; also returns
 * the calls per second of that load.
 */
export async function whileBusy<Value>(
  ready: Ready | readonly Ready[],
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
  const report = once(child, 'message')
  child.send('stop')
  const [statuses] = (await report) as [readonly (readonly [number, number])[]]
  const [[status, calls] = [0, 0]] = statuses
  if (statuses.length !== 1 || status !== 200)
    throw new Error(`the busy world: expected answers of 200, received ${JSON.stringify(statuses)}`)
  return { value, perSecond: calls / seconds }
}
