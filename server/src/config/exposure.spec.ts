import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'
import { exposureOf, refuseExposure } from './exposure.ts'

const configOf = (env: Readonly<Record<string, string>>) =>
  readConfig({ flags: new Map(), env, readText: () => '' }).config

const closed = { QUIPU_SIM: 'off', QUIPU_METRICS: 'operator' }
const tls = { QUIPU_TLS: 'cert.pem,key.pem' }
const outside = { QUIPU_HOST: '0.0.0.0' }

for (const [what, env, problems] of [
  ['loopback', {}, []],
  ['loopback by name', { QUIPU_HOST: 'localhost' }, []],
  ['loopback with a local public URL', { QUIPU_PUBLIC_URL: 'http://localhost:80' }, []],
  ['every address', outside, ['TLS', 'QUIPU_SIM', '/metrics']],
  ['every IPv6 address', { QUIPU_HOST: '::' }, ['TLS', 'QUIPU_SIM', '/metrics']],
  ['one address of the machine', { QUIPU_HOST: '192.168.1.5' }, ['TLS', 'QUIPU_SIM', '/metrics']],
  ['TLS', { ...outside, ...tls }, ['QUIPU_SIM', '/metrics']],
  ['an https public URL', { ...outside, ...closed, QUIPU_PUBLIC_URL: 'https://b.example' }, []],
  ['an http public URL', { ...outside, ...closed, QUIPU_PUBLIC_URL: 'http://b.example' }, ['TLS']],
  ['a proxy to loopback', { QUIPU_PUBLIC_URL: 'https://b.example' }, ['QUIPU_SIM', '/metrics']],
  ['a trusted proxy', { QUIPU_TRUST_PROXY: 'on' }, ['TLS', 'QUIPU_SIM', '/metrics']],
  ['an open control plane', { ...outside, ...tls, QUIPU_METRICS: 'operator' }, ['QUIPU_SIM']],
  ['open metrics', { ...outside, ...tls, QUIPU_SIM: 'off' }, ['/metrics']],
  ['all closed', { ...outside, ...tls, ...closed }, []],
] as const)
  test(`a server with ${what} is exposed by ${problems.join(', ') || 'nothing'}`, () => {
    const found = exposureOf(configOf(env))
    assert.equal(found.length, problems.length, found.join('; '))
    for (const [index, problem] of problems.entries())
      assert.ok(found[index]!.includes(problem), found[index])
    refuseExposure(configOf(env))
    const start = () => refuseExposure(configOf({ ...env, QUIPU_PROFILE: 'shared' }))
    if (problems.length === 0) start()
    else assert.throws(start, ConfigError)
  })
