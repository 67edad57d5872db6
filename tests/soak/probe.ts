import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { threadId, threadName } from 'node:worker_threads'

/** What a thread of the broker tells of itself, a line of JSON each time. */
export type Told = {
  readonly thread: string
  readonly at: number
  /** Objects that are left after a collection. */
  readonly heapBytes: number
  /** Code that was compiled: it grows for as long as the engine finds more to make faster, and then no more. */
  readonly codeBytes: number
  /** Buffers and what native code keeps for objects of this thread. */
  readonly outsideBytes: number
  /** How long the thread kept its timers waiting since the last time. */
  readonly delayMaxMs: number
  readonly delayP99Ms: number
}

/**
 * Loaded into every thread of a broker before its own code (`node --expose-gc --import`): each thread collects its garbage
 * every so often and says what it still holds. No thread can measure another's heap.
 */
const file = process.env['SOAK_PROBE']
const everyMs = Number(process.env['SOAK_PROBE_MS'])

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  setInterval(() => {
    const [delayMaxMs, delayP99Ms] = [delay.max / 1e6, delay.percentile(99) / 1e6]
    globalThis.gc!()
    const { heapUsed, external: outsideBytes } = process.memoryUsage()
    const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => /code|trusted/.test(name))
    const codeBytes = spaces.reduce((sum, { space_used_size: used }) => sum + used, 0)
    const told: Told = {
      thread: threadId === 0 ? 'main' : `${threadName} ${threadId}`,
      at: Date.now(),
      heapBytes: heapUsed - codeBytes,
      codeBytes,
      outsideBytes,
      delayMaxMs,
      delayP99Ms,
    }
    appendFileSync(file, `${JSON.stringify(told)}\n`)
    delay.reset()
  }, everyMs).unref()
}
