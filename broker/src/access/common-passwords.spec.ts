import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { isCommonPassword } from './common-passwords.ts'

const common = [
  'password1234',
  'Password2024!',
  'P@ssw0rd12345',
  'administrator',
  'let-me-in-2025',
  'correct horse battery staple',
  'drowssap1234',
  '2025-11-17 12:00',
  // Rows, columns and rows by turns.
  '123456789012',
  '098765432109',
  'qwertyuiop123',
  'qwertyuiopasdf',
  'qwertzuiop12',
  'azertyuiop12',
  '1q2w3e4r5t6y',
  'q1w2e3r4t5y6',
  '1qaz2wsx3edc',
  '!QAZ2wsx#EDC',
  'zaq12wsxcde3',
  'zxcvbnmasdfghjkl',
  'a1b2c3d4e5f6',
  'йцукенгшщзхъ',
  // Repeats.
  'aaaaaaaaaaaa',
  'aaabbbcccddd',
  'abcabcabcabc',
  'qwe123qwe123',
  'abc123abc123',
  'x7k!q9x7k!q9',
  'passwordpassword',
  'trustno1trustno1',
  // Words with digits and signs.
  'liverpool123',
  '!!Michael1985!!',
  'Sommer2024!!',
  'January2025!',
  'März2025!!!!',
  'Diciembre2024',
  'M0nday-M0nday-1',
  'iloveyou4ever',
  'DragonMaster99',
  'quipu-trading-2026',
]
for (const password of common)
  test(`${password} is common`, () => assert.equal(isCommonPassword(password), true))

const good = [
  'correct horse battery',
  'a long walk in the rain',
  'we were free trees',
  'purple tractor sings loudly',
  'monday coffee with three owls',
  'summer, tulips and 12 bicycles',
  'mx7-Ahoi-tulpe',
  'rG4vLq0ZtB8sWc2y',
  'kd83-hf02-mzq1',
  'J7#vQ!2pLx9&',
  'длинная прогулка под дождём',
  '雨の中の長い散歩でした本当に',
]
for (const password of good)
  test(`${password} is not common`, () => assert.equal(isCommonPassword(password), false))

test('random passwords are not common', () => {
  for (let count = 0; count < 4_000; count++) {
    const password = hash('sha256', `${count}`, 'base64url').slice(0, 12)
    assert.equal(isCommonPassword(password), false, password)
  }
})

// A check that takes exponential time would not end.
test('the longest password is checked', () => {
  assert.equal(isCommonPassword(`${'abc1qaz'.repeat(36)}`.slice(0, 255).concat('ß')), false)
})
