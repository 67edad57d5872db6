import { workerData } from 'node:worker_threads'
import { portOfThread } from '../../threads/thread.ts'
import type { PartResult } from './parallel.ts'
import { type Part, walkPart } from './part.ts'

// A thread that checks some files of a journal. On damage it returns undefined, and the caller checks again in
// detail.
const port = portOfThread()

async function checkPart(): Promise<PartResult> {
  try {
    const { chain, after, seed } = await walkPart(workerData as Part)
    const next = { seq: chain.seq, seed: chain.seed() }
    return { after, seed, seeds: chain.seeds, next }
  } catch {
    return undefined
  }
}

port.postMessage(await checkPart())
