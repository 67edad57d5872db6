import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOfKeyId, codeOfSecret, MAIN_CODE, newCredential, worldCodes } from './world-code.ts'

test('there are 1295 codes of two characters, and that of main is none of them', () => {
  assert.equal(new Set(worldCodes).size, 1295)
  for (const code of worldCodes) assert.match(code, /^[0-9A-Z]{2}$/)
  assert.equal(worldCodes.includes(MAIN_CODE), false)
})

const keyIds: readonly (readonly [string, string])[] = [
  ['PKQ7AAAAAAAAAAAAAAAA', 'Q7'],
  ['AK01ZZZZZZZZZZZZZZZZ', '01'],
  ['CK000123456789ABCDEF', '00'],
  ['PKQ7AAAAAAAAAAAAAAA', '00'],
  ['PKQ7AAAAAAAAAAAAAAAAA', '00'],
  ['PKq7AAAAAAAAAAAAAAAA', '00'],
  ['PKQ7AAAAAAAAAAAAAAA-', '00'],
  ['PKQ7AAAAAAAAAAAAAAAA\n', '00'],
  ['XKQ7AAAAAAAAAAAAAAAA', '00'],
  ['PKMINE', '00'],
  ['', '00'],
]
for (const [id, code] of keyIds)
  test(`the code of the key id ${JSON.stringify(id)} is ${code}`, () => assert.equal(codeOfKeyId(id), code))

const secrets: readonly (readonly [string, string])[] = [
  ['Q7a1b2c3-d4e5-f6a7-b8c9-d0e1f2a3b4c5', 'Q7'],
  ['q7a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5', 'Q7'],
  ['00', '00'],
  ['ZZ', 'ZZ'],
  ['Z-rest', '00'],
  ['_Zrest', '00'],
  ['ÄZrest', '00'],
  ['Z', '00'],
  ['', '00'],
]
for (const [text, code] of secrets)
  test(`the code of the secret ${JSON.stringify(text)} is ${code}`, () =>
    assert.equal(codeOfSecret(text), code))

const forms = [
  ['keyId', /^Q7[0-9A-Z]{16}$/],
  ['hex', /^Q7[0-9a-f]{30}$/],
  ['uuid', /^Q7[0-9a-f]{6}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ['base64url', /^Q7[A-Za-z0-9_-]{41}$/],
] as const
for (const [form, pattern] of forms)
  test(`a new credential of the form ${form} begins with the code; every other character is random`, () => {
    const made = Array.from({ length: 500 }, () => newCredential('Q7', form))
    for (const text of made) assert.match(text, pattern)
    const isFixed = [...made[0]!].map((_, at) => new Set(made.map((text) => text[at])).size < 10)
    const fixed = [...made[0]!].filter((_, at) => isFixed[at]).join('')
    assert.equal(fixed.replaceAll('-', ''), 'Q7')
  })

test('every character of a key id can occur', () => {
  const characters = new Set(Array.from({ length: 200 }, () => newCredential('00', 'keyId')).join(''))
  assert.equal(characters.size, 36)
})
