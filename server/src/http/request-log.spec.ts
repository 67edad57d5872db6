import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { clientKindOf } from './request-log.ts'

const key = { kind: 'account', credentialId: 'PK1' }
const rows = [
  ['a key', key, {}, 'program'],
  ['a key in the command quipu', key, { 'user-agent': 'quipu-cli' }, 'cli'],
  ['the token of a browser session', { ...key, session: {} }, { 'user-agent': 'quipu-cli' }, 'dashboard'],
  ['a session of another node', { ...key, foreign: { kind: 'user', session: 's' } }, {}, 'dashboard'],
  ['the token of an app', { ...key, grantId: 'g' }, { cookie: 'a=b' }, 'app'],
  ['the token of a partner program', { kind: 'partner', machine: 'd' }, {}, 'app'],
  ['an app of another node', { ...key, foreign: { kind: 'app' } }, {}, 'app'],
  ['a page that asks for its token', undefined, { cookie: 'quipu_session=x' }, 'dashboard'],
  ['a person who opens the sign-in page', undefined, { 'sec-fetch-mode': 'navigate' }, 'dashboard'],
  ['a visitor', undefined, {}, 'program'],
] as const

for (const [title, caller, headers, source] of rows)
  test(`${title}: ${source}`, () => assert.equal(clientKindOf(caller as unknown as Caller, headers), source))
