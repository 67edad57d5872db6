import { enableCompileCache } from 'node:module'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FileOperations } from '@quipu/broker/data-folder/file-operations.ts'
import { serveParent } from './contender-process.ts'

// The `quipu` command does the same; later imports use the compile cache, also in threads.
const { directory } = enableCompileCache()
if (directory) process.env['NODE_COMPILE_CACHE'] ??= dirname(directory)
const { createLog, readConfig, startQuipu } = await import('@quipu/server')
const { diskOperations } = await import('@quipu/broker/data-folder/file-operations.ts')

/**
 * The product with its default settings. Arguments: the data folder, the milliseconds to add to each sync of the
 * journal, and settings as `name=value`.
 */
const flags = new Map([
  ['port', '0'],
  ['data', process.argv[2]!],
  ['log', 'error'],
  ...process.argv.slice(4).map((text) => text.split('=', 2) as [string, string]),
])
const { config } = readConfig({ flags, env: {}, readText: () => '' })
const log = createLog({ level: 'error', readable: true, write: (text) => process.stderr.write(text) })
const slowerMs = Number(process.argv[3] ?? 0)
const slower: FileOperations = {
  ...diskOperations,
  datasync: (file) => diskOperations.datasync(file).then(() => sleep(slowerMs)),
}
const quipu = await startQuipu(config, log, { disk: slowerMs > 0 ? slower : diskOperations })
const { keyId = '', secretKey = '', brokerKey = '', brokerSecret = '' } = quipu.credentials
const { oauthClientId = '', oauthClientSecret = '', oauthRedirectUri = '' } = quipu.credentials
const pair = (id: string, secret: string) => ({ 'APCA-API-KEY-ID': id, 'APCA-API-SECRET-KEY': secret })

serveParent(
  {
    port: Number(new URL(quipu.url).port),
    headers: pair(keyId, secretKey),
    operator: pair(brokerKey, brokerSecret),
    app: { clientId: oauthClientId, secret: oauthClientSecret, redirectUri: oauthRedirectUri },
  },
  () => quipu.close(),
)
