import { after } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { HistoryThreads } from '../threads.ts'

/** All worker threads of this process, in the order of their starts. */
export const workers: Worker[] = []
process.on('worker', (worker: Worker) => workers.push(worker))

/** What the threads logged. */
export const logged: string[] = []
const log = { warn: (text: string) => logged.push(text), error: (text: string) => logged.push(text) }

const opened: HistoryThreads[] = []
after(() => Promise.all(opened.map((threads) => threads.close())))

/** Threads that are closed after the tests of the file. */
export function openThreads(max: number): HistoryThreads {
  const threads = new HistoryThreads(max, {}, log)
  opened.push(threads)
  return threads
}
