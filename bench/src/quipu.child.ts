import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, readConfig, startQuipu } from '@quipu/server'
import { serveParent } from './contender-process.ts'

/** The product as it starts by default: durable, on a folder of its own. */
const folder = mkdtempSync(join(tmpdir(), 'quipu-bench-'))
const flags = new Map([
  ['port', '0'],
  ['data', folder],
  ['log', 'error'],
])
const { config } = readConfig({ flags, env: {}, readText: () => '' })
const log = createLog({ level: 'error', readable: true, write: (text) => process.stderr.write(text) })
const quipu = await startQuipu(config, log)
const { keyId = '', secretKey = '' } = quipu.credentials

serveParent(
  {
    port: Number(new URL(quipu.url).port),
    headers: { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey },
  },
  async () => {
    await quipu.close()
    rmSync(folder, { recursive: true, force: true })
  },
)
