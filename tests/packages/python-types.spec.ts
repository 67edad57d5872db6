import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { effectFields, FaultMatch } from '../../contract/src/operations/sim/fault-fields.ts'
import { faultKinds } from '../../contract/src/operations/sim/fault-kinds.table.ts'
import { pythonWith } from '../programs/debian.ts'

const sources = join(import.meta.dirname, '..', '..', 'python')
const python = (code: string): string =>
  execFileSync(pythonWith(['json']), ['-B', '-c', code], { cwd: sources, encoding: 'utf8' })

test('the fault kinds and fields of the Python package are those of the contract', () => {
  const found = JSON.parse(
    python(`
import json, typing
from quipu.records import FaultEffect, FaultKind, FaultMatch
names = lambda record: sorted(record.__annotations__)
print(json.dumps([typing.get_args(FaultKind), names(FaultEffect), names(FaultMatch)]))`),
  )
  assert.deepEqual(found, [
    Object.keys(faultKinds),
    ['kind', ...Object.keys(effectFields)].sort(),
    Object.keys(FaultMatch.fields).sort(),
  ])
})

test('the Python package imports only the standard library, and its plugin pytest', () => {
  const files = readdirSync(join(sources, 'quipu')).filter((name) => name.endsWith('.py'))
  const imported = files.flatMap((file) =>
    [...readFileSync(join(sources, 'quipu', file), 'utf8').matchAll(/^(?:import|from) (\w+)/gm)].map(
      ([, name]) => `${file}: ${name}`,
    ),
  )
  assert.ok(imported.length > 20)
  const standard = new Set(python('import sys; print("\\n".join(sys.stdlib_module_names))').split('\n'))
  assert.deepEqual(
    imported.filter((one) => !standard.has(one.split(' ')[1]!)),
    ['pytest_plugin.py: pytest'],
  )
})
