import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { threadId, threadName } from 'node:worker_threads'

/** A measurement of one thread of the broker, written as a line of JSON. */
export type ThreadSample = {
  readonly thread: string
  readonly at: number
  /** Objects that remain after a garbage collection. */
  readonly heapBytes: number
  /** Compiled code, which grows until the engine has optimized all hot functions. */
  readonly codeBytes: number
  /** Buffers and native memory of objects of this thread. */
  readonly outsideBytes: number
  /** Longest delay of a timer of the thread since the last sample. */
  readonly delayMaxMs: number
  readonly delayP99Ms: number
}

/**
 * Loaded into every thread of a broker before its own code (`node --expose-gc --import`): each thread regularly
 * runs a garbage collection and writes its memory use. A thread cannot measure the heap of another thread.
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
    const sample: ThreadSample = {
      thread: threadId === 0 ? 'main' : `${threadName} ${threadId}`,
      at: Date.now(),
      heapBytes: heapUsed - codeBytes,
      codeBytes,
      outsideBytes,
      delayMaxMs,
      delayP99Ms,
    }
    appendFileSync(file, `${JSON.stringify(sample)}\n`)
    delay.reset()
  }, everyMs).unref()
}
