import { enableCompileCache } from 'node:module'
import { dirname } from 'node:path'
import { serveParent } from './contender-process.ts'

// The `quipu` command does the same; later imports use the compile cache, also in threads.
const { directory } = enableCompileCache()
if (directory) process.env['NODE_COMPILE_CACHE'] ??= dirname(directory)
const { createLog, readConfig, startQuipu } = await import('@quipu/server')

/** The product with its default settings. Arguments: the data folder, and settings as `name=value`. */
const flags = new Map([
  ['port', '0'],
  ['data', process.argv[2]!],
  ['log', 'error'],
  ...process.argv.slice(3).map((text) => text.split('=', 2) as [string, string]),
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
