import assert from 'node:assert/strict'
import test from 'node:test'
import { matchesRedirectUri } from './redirect.ts'

const redirectUris = [
  'https://app.example/back',
  'http://localhost/back',
  'http://127.0.0.1:8080/back?x=1',
  'http://[::1]',
  'com.example.app:/back',
]

for (const [uri, plain, native] of [
  ['https://app.example/back', true, true],
  ['https://app.example/back/', false, false],
  ['https://APP.example/back', false, false],
  ['https://app.example:443/back', false, false],
  ['https://app.example/back?x=1', false, false],
  ['http://localhost/back', true, true],
  ['http://localhost:41920/back', false, true],
  ['http://localhost:41920/other', false, false],
  ['http://127.0.0.1:41920/back', false, false],
  ['http://127.0.0.1/back?x=1', false, true],
  ['http://127.0.0.1:1/back?x=2', false, false],
  ['http://[::1]:5000', false, true],
  ['http://[::1]:5000/', false, false],
  ['http://localhost:80@evil.example/back', false, false],
  ['http://localhost.evil.example/back', false, false],
  ['http://localhost:41920/back#part', false, false],
  ['https://localhost:41920/back', false, false],
  ['com.example.app:/back', true, true],
  ['com.example.app:41920/back', false, false],
  ['', false, false],
] as const)
  test(`${uri} matches ${plain ? 'any app' : native ? 'native apps only' : 'no app'}`, () => {
    assert.equal(matchesRedirectUri({ redirectUris }, uri), plain)
    assert.equal(matchesRedirectUri({ redirectUris, isNative: true }, uri), native)
  })
