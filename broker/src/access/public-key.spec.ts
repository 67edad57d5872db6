import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { keyFrom, publicKeyOf } from './public-key.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed = generateKeyPairSync('ed25519')
const pem = (key: KeyObject, type: 'spki' | 'pkcs8' = 'spki') => key.export({ format: 'pem', type }) as string
const jwk = (key: KeyObject) => key.export({ format: 'jwk' })

for (const [name, material, key] of [
  ['P-256 in PEM', pem(ec.publicKey), ec.publicKey],
  ['P-256 as a record', jwk(ec.publicKey), ec.publicKey],
  ['P-256 as the text of a record', ` ${JSON.stringify(jwk(ec.publicKey))}`, ec.publicKey],
  ['a record with more in it', { ...jwk(ec.publicKey), kid: '1', use: 'sig' }, ec.publicKey],
  ['RSA in PEM', pem(rsa.publicKey), rsa.publicKey],
  ['Ed25519 in PEM', pem(ed.publicKey), ed.publicKey],
  ['Ed25519 as a record', jwk(ed.publicKey), ed.publicKey],
] as const)
  test(`${name} is a public key, stored as a JSON Web Key`, () => {
    const read = publicKeyOf(material)
    assert.ok('jwk' in read)
    assert.deepEqual(JSON.parse(read.jwk), jwk(key))
    assert.ok(keyFrom(read.jwk).equals(key))
  })

const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const short = generateKeyPairSync('rsa', { modulusLength: 1024 })
for (const [name, material, problem] of [
  ['a private key in PEM', pem(ec.privateKey, 'pkcs8'), /received a private one/],
  ['a private key as a record', jwk(ec.privateKey), /received a private one/],
  ['a private key as text', JSON.stringify(jwk(ed.privateKey)), /received a private one/],
  ['a shared secret', { kty: 'oct', k: 'c2VjcmV0' }, /received a private one/],
  ['another curve', pem(p384.publicKey), /^expected a public key as PEM/],
  ['RSA of 1024 bits', pem(short.publicKey), /^expected a public key as PEM/],
  ['nothing', undefined, /^expected a public key as PEM/],
  ['null', null, /^expected a public key as PEM/],
  ['a number', 7, /^expected a public key as PEM/],
  ['a list', [], /^expected a public key as PEM/],
  ['half a record', '{"kty":"EC"', /^expected a public key as PEM/],
  ['a record of nothing', {}, /^expected a public key as PEM/],
  ['words', 'my key', /^expected a public key as PEM/],
  ['far too many words', 'x'.repeat(20_000), /^expected a public key as PEM/],
] as const)
  test(`${name} is not a public key`, () => {
    const read = publicKeyOf(material)
    assert.ok('problem' in read)
    assert.match(read.problem, problem)
  })
