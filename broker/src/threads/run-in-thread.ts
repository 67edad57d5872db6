import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { resourceLimits } from './thread.ts'

/**
 * Runs a module in a thread and returns its first message. The thread ends then, or when `signal` aborts. `name` is a
 * module beside the module `url`, with the same file extension.
 */
export async function runInThread<Result>(
  url: string,
  name: string,
  data: unknown,
  signal?: AbortSignal,
): Promise<Result> {
  const worker = new Worker(new URL(`${name}${extname(url)}`, url), {
    workerData: data,
    name,
    resourceLimits,
  })
  try {
    const [result] = await once(worker, 'message', { signal })
    return result
  } finally {
    await worker.terminate()
  }
}
