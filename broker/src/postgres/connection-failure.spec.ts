import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isConnectionFailure } from './connection-failure.ts'
import { PostgresUnreachable } from './failures.ts'

const withCode = (code: string) => Object.assign(new Error('any'), { code })

for (const [error, expected] of [
  [new PostgresUnreachable('PostgreSQL at a', new Error('any')), true],
  [new Error('Connection terminated unexpectedly'), true],
  [new Error('Client has encountered a connection error and is not queryable'), true],
  [new Error('timeout expired'), true],
  [withCode('ECONNREFUSED'), true],
  [withCode('57P01'), true],
  [withCode('08006'), true],
  // A bug in a statement.
  [withCode('42601'), false],
  [withCode('23505'), false],
  [new Error('bug'), false],
  ['text', false],
] as const)
  test(`${String(error)} ${(error as { code?: string }).code ?? ''}: ${expected}`, () => {
    assert.equal(isConnectionFailure(error), expected)
  })
