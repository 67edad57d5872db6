import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { pythonWith } from '../../tests/programs/debian.ts'
import { newFolder, plainEnvironment } from '../../tests/support/broker.ts'
import { hasAllCases } from '../../tests/support/cases.ts'
import { program } from '../../tests/support/program.ts'

const python = pythonWith(['pytest'])
const root = join(import.meta.dirname, '..', '..')
const example = join(import.meta.dirname, 'test_dip_buyer.py')

/** A folder with the plugin of the checkout. */
function folderWithPlugin(): string {
  const folder = newFolder()
  writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["quipu.pytest_plugin"]\n')
  return folder
}

/** Runs pytest in a folder. Variables of another broker must not reach the broker of the plugin. */
async function pytest(folder: string, flags: readonly string[]) {
  const env = plainEnvironment({
    QUIPU_UNKNOWN: 'x',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: join(root, 'python'),
  })
  const args = ['-m', 'pytest', '-p', 'no:cacheprovider', '-q', ...flags]
  const ran = promisify(execFile)(python, args, { cwd: folder, env })
  const { stdout, stderr, code = 0 } = await ran.catch((error) => error)
  return { output: `${stdout}${stderr}`, code }
}

test('the example and the guide pass, and a failing test prints seed, journal hash and events', async () => {
  const folder = folderWithPlugin()
  cpSync(example, join(folder, 'test_dip_buyer.py'))
  const wrong = readFileSync(example, 'utf8').replace(
    'assert_net_position("TSLA", 10)',
    'assert_net_position("TSLA", 11)',
  )
  writeFileSync(join(folder, 'test_failing.py'), wrong)
  const guide = readFileSync(join(root, 'docs', 'guides', 'testing.md'), 'utf8')
  const snippets = [...guide.matchAll(/```python\n(.*?)```/gs)].map(([, text]) => text!)
  writeFileSync(join(folder, 'test_guide.py'), snippets.find((text) => text.includes('import pytest'))!)
  const { output, code } = await pytest(folder, ['--quipu-command', `${process.execPath} ${program}`])
  assert.equal(code, 1, output)
  assert.match(output, /1 failed, 8 passed/)
  assert.match(output, /AssertionError: expected a net position of 11 TSLA, received 10/)
  assert.match(output, /-+ Quipu -+\nworld world-\d+, seed "dips", journal hash [0-9a-f]{64}\n {2}#\d+ /)
  assert.match(output, /orderFilled TSLA 10 [\d.]+/)
})

test('a broker that does not start ends pytest with its exit code and its last lines', {
  skip: !hasAllCases,
}, async () => {
  const folder = folderWithPlugin()
  writeFileSync(
    join(folder, 'pytest.ini'),
    `[pytest]\nquipu_command = ${process.execPath} -e "console.error('the port is taken'); process.exit(3)"\n`,
  )
  writeFileSync(join(folder, 'test_one.py'), 'def test_one(world):\n    pass\n')
  const { output, code } = await pytest(folder, [])
  assert.equal(code, 4, output)
  assert.match(output, /Exit: .* start --json --port 0 .* ended with exit code 3\nthe port is taken/)
})
