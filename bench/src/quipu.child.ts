import { enableCompileCache } from 'node:module'
import { serveParent } from './contender-process.ts'

// As the product's own command does; what is imported after it comes from the cache.
enableCompileCache()
const { createLog, readConfig, startQuipu } = await import('@quipu/server')

/** The product as it starts by default: durable, on the folder it is given. */
const flags = new Map([
  ['port', '0'],
  ['data', process.argv[2]!],
  ['log', 'error'],
])
const { config } = readConfig({ flags, env: {}, readText: () => '' })
const log = createLog({ level: 'error', readable: true, write: (text) => process.stderr.write(text) })
const quipu = await startQuipu(config, log)
const { keyId = '', secretKey = '', brokerKey = '', brokerSecret = '' } = quipu.credentials
const pair = (id: string, secret: string) => ({ 'APCA-API-KEY-ID': id, 'APCA-API-SECRET-KEY': secret })

serveParent(
  {
    port: Number(new URL(quipu.url).port),
    headers: pair(keyId, secretKey),
    operator: pair(brokerKey, brokerSecret),
  },
  () => quipu.close(),
)
