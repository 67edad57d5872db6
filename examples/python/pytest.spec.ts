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
const plugin = join(import.meta.dirname, 'quipu_pytest.py')
const example = join(import.meta.dirname, '..', 'pytest', 'test_dip_buyer.py')

/** Runs pytest in a folder. Variables of another broker must not reach the broker of the plugin. */
async function pytest(folder: string, flags: readonly string[]) {
  const env = plainEnvironment({ QUIPU_UNKNOWN: 'x', PYTHONDONTWRITEBYTECODE: '1' })
  const args = ['-m', 'pytest', '-p', 'no:cacheprovider', '-q', ...flags]
  const ran = promisify(execFile)(python, args, { cwd: folder, env })
  const { stdout, stderr, code = 0 } = await ran.catch((error) => error)
  return { output: `${stdout}${stderr}`, code }
}

test('the plugin is one file of the standard library beside pytest', () => {
  const imported = [...readFileSync(plugin, 'utf8').matchAll(/^(?:import|from) (\w+)/gm)].map(
    ([, name]) => name,
  )
  assert.deepEqual(
    imported.filter((name) => name !== 'pytest'),
    ['decimal', 'json', 'os', 'shlex', 'shutil', 'subprocess', 'urllib', 'urllib'],
  )
})

test('the example and the guide pass with a copied plugin, and a failing test prints seed, journal hash and events', async () => {
  const folder = newFolder()
  cpSync(plugin, join(folder, 'quipu_pytest.py'))
  writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["quipu_pytest"]\n')
  cpSync(example, join(folder, 'test_dip_buyer.py'))
  const wrong = readFileSync(example, 'utf8').replace(
    'assert_net_position("TSLA", 10)',
    'assert_net_position("TSLA", 11)',
  )
  writeFileSync(join(folder, 'test_failing.py'), wrong)
  const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guides', 'testing.md'), 'utf8')
  writeFileSync(join(folder, 'test_guide.py'), /```python\n(.*?)```/s.exec(guide)![1]!)
  const { output, code } = await pytest(folder, ['--quipu-command', `${process.execPath} ${program}`])
  assert.equal(code, 1, output)
  assert.match(output, /1 failed, 8 passed/)
  assert.match(output, /AssertionError: expected a net position of 11 TSLA, received 10/)
  assert.match(output, /-+ Quipu -+\nworld world-\d+, seed "dips", journal hash [0-9a-f]{64}\n {2}#\d+ /)
  assert.match(output, /orderFilled TSLA 10 [\d.]+/)
})

test('a broker that does not start ends pytest with its exit code', { skip: !hasAllCases }, async () => {
  const folder = newFolder()
  cpSync(plugin, join(folder, 'quipu_pytest.py'))
  writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["quipu_pytest"]\n')
  writeFileSync(
    join(folder, 'pytest.ini'),
    `[pytest]\nquipu_command = ${process.execPath} -e "process.exit(3)"\n`,
  )
  writeFileSync(join(folder, 'test_one.py'), 'def test_one(world):\n    pass\n')
  const { output, code } = await pytest(folder, [])
  assert.equal(code, 4, output)
  assert.match(output, /Exit: .* start --json --port 0 .* ended with exit code 3/)
})
