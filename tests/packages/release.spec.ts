import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { dateChangelog } from '../../packaging/changelog.ts'
import { sbomOf } from '../../packaging/sbom.ts'
import { setVersion, versionOf } from '../../packaging/version.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { isLongRun } from './packed.ts'

const root = join(import.meta.dirname, '..', '..')
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

test('a new version is in every manifest, in the lock file and in the README', () => {
  const checkout = newFolder()
  for (const file of ['package-lock.json', 'README.md', ...globSync('{.,*}/package.json', { cwd: root })]) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true })
    cpSync(join(root, file), join(checkout, file))
  }
  const before = versionOf(checkout)
  setVersion(checkout, '9.8.7')
  assert.equal(versionOf(checkout), '9.8.7')
  const server = readJson(join(checkout, 'server', 'package.json'))
  assert.equal(server.dependencies['@quipu/core'], '9.8.7')
  assert.equal(server.dependencies.ws, readJson(join(root, 'server', 'package.json')).dependencies.ws)
  const { version, packages } = readJson(join(checkout, 'package-lock.json'))
  assert.deepEqual([version, packages[''].version, packages.server.version], ['9.8.7', '9.8.7', '9.8.7'])
  assert.equal(packages.server.dependencies['@quipu/core'], '9.8.7')
  assert.equal(packages['node_modules/ws'].version, server.dependencies.ws)
  assert.match(readFileSync(join(checkout, 'README.md'), 'utf8'), /Quipu 9\.8\.7 listens/)
  setVersion(checkout, before)
  assert.deepEqual(readJson(join(checkout, 'package-lock.json')), readJson(join(root, 'package-lock.json')))
  assert.throws(() => setVersion(checkout, 'latest'), /expected a version like 1\.2\.3, received latest/)
})

test('the changelog gets the date, and its section becomes the notes', () => {
  const text = '# Changelog\n\n## 0.2.0 (not released)\n\n- New.\n\n## 0.1.0 (2026-11-16)\n\n- Old.\n'
  const { text: dated, notes } = dateChangelog(text, '0.2.0', '2026-12-01')
  assert.equal(dated, text.replace('(not released)', '(2026-12-01)'))
  assert.equal(notes, '# Quipu 0.2.0\n\n- New.\n')
  assert.throws(() => dateChangelog(dated, '0.3.0', '2026-12-02'), /expected the heading/)
  assert.throws(() => dateChangelog('## Unreleased\n\n## 0.1.0 (…)\n', '0.2.0', '2026-12-02'), /no notes/)
})

test('the bill of materials has the hash of each library in the lock file', () => {
  const { version } = readJson(join(root, 'node_modules', 'ws', 'package.json'))
  const [ws] = sbomOf('1.0.0', [{ name: 'ws', version, license: 'MIT', text: '' }], root).components
  const { integrity } = readJson(join(root, 'package-lock.json')).packages['node_modules/ws']
  assert.equal(
    Buffer.from(ws!.hashes[0]!.content, 'hex').toString('base64'),
    integrity.slice('sha512-'.length),
  )
  const unknown = { name: 'ws', version: '0.0.1', license: 'MIT', text: '' }
  assert.throws(() => sbomOf('1.0.0', [unknown], root), /no hash of ws 0\.0\.1/)
})

test('a dry run builds all files and changes nothing', { skip: !isLongRun, timeout: 600_000 }, () => {
  const state = () => execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  const [before, out] = [state(), newFolder()]
  const line = ['packaging/release.ts', '--dry-run', '--version', '9.8.7', '--no-image', '--out', out]
  const printed = execFileSync(process.execPath, line, {
    cwd: root,
    env: plainEnvironment(),
    encoding: 'utf8',
  })
  assert.match(printed, /nothing was committed/)
  assert.equal(state(), before)
  assert.equal(execFileSync('git', ['tag', '--list', 'v9.8.7'], { cwd: root, encoding: 'utf8' }), '')
  assert.deepEqual(readdirSync(out).sort(), [
    'SHA256SUMS',
    'quipu-broker-9.8.7.cdx.json',
    'quipu-broker-9.8.7.tgz',
    'quipu-sdk-9.8.7.tgz',
    'quipu-testing-9.8.7.tgz',
    'quipu_broker-9.8.7-py3-none-any.whl',
    'release-notes.md',
  ])
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out })
  const names: string[] = readJson(join(out, 'quipu-broker-9.8.7.cdx.json')).components.map(
    ({ name }: { name: string }) => name,
  )
  for (const name of ['ws', 'pg', 'jose', '@noble/hashes', 'pg-types']) assert(names.includes(name), name)
})
