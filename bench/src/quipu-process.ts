import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContenderProcess, type Ready } from './contender-process.ts'
import { type BenchRequest, type Load, load, requireAllOk } from './load.ts'
import type { Contender, Round } from './rounds.ts'

/** Calls `use` with a temporary folder. */
export async function withFolder<Value>(use: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-bench-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Calls `use` with the product running on a folder; `settings` are `name=value`. */
export async function withQuipu<Value>(
  folder: string,
  use: (quipu: ContenderProcess) => Promise<Value>,
  settings: readonly string[] = [],
): Promise<Value> {
  const quipu = await ContenderProcess.start('quipu.child.ts', [folder, ...settings])
  try {
    return await use(quipu)
  } finally {
    await quipu.stop()
  }
}

export const CONNECTIONS = 64

/** A limit order far from the market: it is stored, holds cash and rests. Its price is low, so that the cash covers a million of them. */
export const anOrder = (): BenchRequest => ({
  method: 'POST',
  path: '/v2/orders',
  body: '{"symbol":"AAPL","qty":"1","side":"buy","type":"limit","time_in_force":"gtc","limit_price":"0.01"}',
})

/** Places orders as fast as they are answered. */
export async function placeOrders(quipu: ContenderProcess, calls: number): Promise<void> {
  requireAllOk('orders', calls, await load(quipu.ready, anOrder, { connections: CONNECTIONS, calls }))
}

/** Sends requests to a server and measures its cost; `ready` replaces its own credentials. */
export function contender(
  name: string,
  server: ContenderProcess,
  requestOf: () => BenchRequest,
  { ready = server.ready, ...options }: Partial<Load> & Pick<Load, 'calls'> & { readonly ready?: Ready },
): Contender {
  return {
    name,
    async round() {
      const before = await server.spent()
      const start = performance.now()
      const responses = await load(ready, requestOf, { connections: CONNECTIONS, ...options })
      const wallSeconds = (performance.now() - start) / 1000
      requireAllOk(name, options.calls, responses)
      const { cpuMicros, threadMicros } = await server.spent()
      return {
        calls: options.calls,
        cpuSeconds: (cpuMicros - before.cpuMicros) / 1e6,
        threadSeconds: (threadMicros - before.threadMicros) / 1e6,
        wallSeconds,
      }
    },
  }
}

/** Measures the CPU time of a server while `run` uses it. */
export async function cpuRound(
  server: ContenderProcess,
  calls: number,
  run: () => Promise<unknown>,
): Promise<Round> {
  const before = await server.spent()
  const start = performance.now()
  await run()
  const wallSeconds = (performance.now() - start) / 1000
  const { cpuMicros } = await server.spent()
  const cpuSeconds = (cpuMicros - before.cpuMicros) / 1e6
  return { calls, cpuSeconds, threadSeconds: cpuSeconds, wallSeconds }
}
