import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startInMemory } from './memory-broker.ts'
import { isAlive, KEY_FILE } from './shared-broker.ts'

/** The process of the broker that the files of a test run share. It ends with the process of the test runner. */
const LOOK_MS = 500
const [folder = '', runner = ''] = process.argv.slice(2)

// A terminal sends Ctrl-C to this process too, while test files still end their worlds.
process.on('SIGINT', () => undefined)
const { quipu, key } = await startInMemory()
const unfinished = join(folder, `${KEY_FILE}.new`)
writeFileSync(unfinished, JSON.stringify(key), { mode: 0o600 })
renameSync(unfinished, join(folder, KEY_FILE))

const look = setInterval(async () => {
  if (isAlive(Number(runner))) return
  clearInterval(look)
  rmSync(folder, { recursive: true, force: true })
  await quipu.close()
  process.exit(0)
}, LOOK_MS)
