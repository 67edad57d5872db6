import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword } from './common-passwords.ts'

for (const [password, isCommon] of [
  ['password1234', true],
  ['Password2024!', true],
  ['P@ssw0rd12345', true],
  ['123456789012', true],
  ['098765432109', true],
  ['qwertyuiop123', true],
  ['qwertyuiopasdf', true],
  ['aaaaaaaaaaaa', true],
  ['abcabcabcabc', true],
  ['passwordpassword', true],
  ['administrator', true],
  ['let-me-in-2025', true],
  ['correct horse battery staple', true],
  ['2025-11-17 12:00', true],
  ['correct horse battery', false],
  ['a long walk in the rain', false],
  ['mx7-Ahoi-tulpe', false],
  ['rG4vLq0ZtB8sWc2y', false],
] as const)
  test(`${password} is ${isCommon ? 'common' : 'not common'}`, () =>
    assert.equal(isCommonPassword(password), isCommon))
