import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Rule, repository, violationsOf, withPlanted } from './rule.ts'

// Every module in rules/ exports the list `rules`.
const modules = globSync('*.ts', { cwd: join(import.meta.dirname, 'rules') })
const rules: readonly Rule[] = (
  await Promise.all(
    modules.map((name) => import(pathToFileURL(join(import.meta.dirname, 'rules', name)).href)),
  )
).flatMap((module) => module.rules)

test('every rule has a name of its own and a planted violation', () => {
  assert.ok(rules.length > 20, `${rules.length} rules`)
  assert.equal(new Set(rules.map(({ name }) => name)).size, rules.length)
  const without = rules.filter(({ planted }) => planted.every(({ refused }) => refused.length === 0))
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  )
})

for (const rule of rules) {
  test(rule.name, () => {
    assert.ok(
      repository.files.some(({ path }) => rule.covers(path)),
      'the rule looks at no file',
    )
    assert.deepEqual(violationsOf(rule, repository), [])
  })

  for (const planted of rule.planted)
    test(`${rule.name}: refused ${planted.refused[0]}`, () => {
      const before = violationsOf(rule, repository)
      const added = violationsOf(rule, withPlanted(planted)).filter((line) => !before.includes(line))
      assert.deepEqual(added, planted.refused)
    })

  const exceptions = Object.keys(rule.exceptions ?? {})
  if (exceptions.length > 0)
    test(`${rule.name}: every exception is needed`, () => {
      const needless = exceptions.filter((path) => {
        const files = repository.files.filter((file) => file.path === path && rule.covers(path))
        return rule.violations(files, repository).length === 0
      })
      assert.deepEqual(needless, [])
    })
}
