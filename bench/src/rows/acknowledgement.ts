import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { load, percentile, requireAllOk } from '../load.ts'
import { anOrder, CONNECTIONS, placeOrders, withFolder, withQuipu } from '../quipu-process.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const row = rowsWith('d')
const [open, write, datasync, close] = [fs.open, fs.write, fs.fdatasync, fs.close].map((call) =>
  promisify(call as never),
) as unknown as readonly [
  (path: string, flags: string) => Promise<number>,
  (file: number, bytes: Buffer, offset: number, length: number, at: number) => Promise<unknown>,
  (file: number) => Promise<void>,
  (file: number) => Promise<void>,
]

/** About the size of a group commit of a few orders. */
const RECORD = Buffer.alloc(4096, 'x')
const PAUSE_MS = 5

/** (d) The slowest acknowledgements at half load, compared with a bare loop that appends and syncs at the same time. */
export async function acknowledgement({ calls }: Size): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withQuipu(join(folder, 'quipu'), async (quipu) => {
      const start = performance.now()
      await placeOrders(quipu, calls)
      const perSecond = calls / ((performance.now() - start) / 1000) / 2
      const loop = syncLoop(join(folder, 'bare'))
      const responses = await load(quipu.ready, anOrder, { connections: CONNECTIONS, calls, perSecond })
      const bareMs = await loop.stop()
      requireAllOk('half load', calls, responses)
      const [slowMs, bareSlowMs] = [percentile(responses.latenciesMs, 0.99), percentile(bareMs, 0.99)]
      return [
        row('p99 of an acknowledgement at half load / bare sync', slowMs / bareSlowMs, '≤ 5'),
        row('the same in ms', slowMs),
      ]
    }),
  )
}

/** Appends and syncs until stopped; `stop` returns the duration of each sync, ascending. */
function syncLoop(path: string): { stop(): Promise<readonly number[]> } {
  let running = true
  const run = async (): Promise<readonly number[]> => {
    const file = await open(path, 'w')
    const durationsMs: number[] = []
    for (let at = 0; running; at += RECORD.length) {
      const start = performance.now()
      await write(file, RECORD, 0, RECORD.length, at)
      await datasync(file)
      durationsMs.push(performance.now() - start)
      await sleep(PAUSE_MS)
    }
    await close(file)
    return durationsMs.sort((a, b) => a - b)
  }
  const done = run()
  return {
    stop: () => {
      running = false
      return done
    },
  }
}
