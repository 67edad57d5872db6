import { createLog } from '@quipu/broker/log/log.ts'
import { readConfig } from '@quipu/server/config/config.ts'
import { type RunningQuipu, startQuipu } from '@quipu/server/start/start.ts'
import type { OperatorKey } from './types.ts'

const WORLDS_MAX = 10_000

/** A broker of this thread, with all data in memory. */
export type MemoryBroker = { readonly quipu: RunningQuipu; readonly key: OperatorKey }

export async function startInMemory(): Promise<MemoryBroker> {
  // The variables of the shell may belong to another broker.
  const { config } = readConfig({
    flags: new Map([
      ['data', 'memory'],
      ['port', '0'],
      ['worldsMax', String(WORLDS_MAX)],
      ['readers', '0'],
    ]),
    env: {},
    readText: () => '',
  })
  const write = (text: string) => process.stderr.write(text)
  const quipu = await startQuipu(config, createLog({ level: 'warn', readable: true, write }))
  const { brokerKey, brokerSecret } = quipu.credentials
  return { quipu, key: { url: quipu.url, keyId: brokerKey!, secretKey: brokerSecret! } }
}
