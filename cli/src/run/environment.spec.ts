import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { childEnvironment } from './environment.ts'

const folder = mkdtempSync(join(tmpdir(), 'quipu-environment-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const environmentWith = (nodePreload: string) =>
  childEnvironment(
    { PATH: process.env['PATH'], QUIPU_BROKER_KEY: 'BK', NODE_OPTIONS: '--no-warnings' },
    {
      proxyUrl: 'http://127.0.0.1:1',
      tlsPort: 2,
      key: { keyId: 'PK', secretKey: 'secret' },
      bundle: join(folder, 'trusted.pem'),
      nodePreload,
      pythonFolder: join(folder, 'python'),
    },
  )

// Other systems than Windows accept these characters in names, so Node reads the same variable there.
const isWindows = process.platform === 'win32'
const skip = isWindows && 'a name on Windows has no backslash'

test('Node loads a file before the program from a path of Windows, with spaces and quotes', { skip }, () => {
  const name = 'C:\\Users\\Ann "Lee" O\\Temp\\quipu-run\\node.cjs'
  writeFileSync(join(folder, name), "console.log('loaded')\n")
  const { NODE_OPTIONS } = environmentWith(`./${name}`)
  const env = { NODE_OPTIONS, PATH: process.env['PATH'] }
  const printed = execFileSync(process.execPath, ['-e', "console.log('program')"], { cwd: folder, env })
  assert.equal(String(printed), 'loaded\nprogram\n')
})

test('no variable of Quipu reaches the program', () => {
  const names = Object.keys(environmentWith('node.cjs'))
  assert.deepEqual(
    names.filter((name) => name.startsWith('QUIPU_')),
    [],
  )
})
