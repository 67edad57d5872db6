import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FolderInUse, FolderNewer, FolderNotWritable } from '@quipu/broker/data-folder/folder.ts'
import { Fenced, JournalDamaged, JournalLost, JournalNewer } from '@quipu/broker/journal/journal.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { PostgresNewer, PostgresUnfit, PostgresUnreachable } from '@quipu/broker/postgres/failures.ts'
import { ApiError, AuthError, NetworkError } from '@quipu/sdk'
import { ConfigError } from '@quipu/server/config/config.ts'
import { NoServer, UsageError } from './command.ts'
import { failureText } from './failures.ts'

const system = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more })
const damage = { from: 42, file: '/d/journal/1', offset: 900, reason: 'the checksum does not match' }

const rows: readonly (readonly [unknown, number, RegExp])[] = [
  [new UsageError('unknown flag --prot'), 2, /^unknown flag --prot$/],
  [new ConfigError('--port: expected'), 2, /^--port: expected$/],
  [new NoServer('no server'), 3, /^no server$/],
  [new NetworkError('GET http://x:1/v2/a?b=1: refused'), 3, /^no response from http:\/\/x:1: refused$/],
  [new NetworkError('GET http://x: refused'), 3, /^no response from http:\/\/x: refused$/],
  [new ApiError({ status: 409, message: 'taken' }), 4, /^taken$/],
  [new ApiError({ status: 403, message: 'forbidden', reason: 'forbidden' }), 4, /set QUIPU_BROKER_KEY/],
  [
    new ApiError({ status: 409, message: 'POST /sim/v1/worlds', reason: 'mainClockNotAdjustable' }),
    4,
    /^main runs on the wall clock; create a world with `quipu world create`/,
  ],
  [
    new AuthError({ status: 401, message: 'unauthorized.', reason: 'oauthClientRefused' }),
    4,
    /^no app has this client id: `quipu app list` lists them$/,
  ],
  [new AuthError({ status: 401, message: 'unauthorized.' }), 4, /does not accept this credential .* --data$/],
  [new FolderInUse('/d', 7), 1, /^\/d is in use by process 7: .*`quipu stop --data \/d`.*--data$/],
  [new FolderInUse('/d', undefined), 1, /^\/d is in use by another process: /],
  [new FolderNotWritable('/d', new Error('EACCES')), 1, /^\/d cannot be written: EACCES: .*--data$/],
  [new FolderNewer('/d', 9), 1, /^\/d has data format 9, this version reads up to 1: install the newer/],
  [new JournalDamaged(damage), 1, /^journal damaged from event 42 on: .* at byte 900: .*restore.*backup/],
  [new JournalNewer(9, 1, '/d/journal/1'), 1, /journal format 9, this version reads up to 1: install/],
  [
    new JournalDamaged({ from: 42, file: 'table quipu_events', reason: 'gone' }),
    1,
    /on: table quipu_events: gone: restore/,
  ],
  [
    new JournalLost(41, [{ name: 'query-tables.sqlite', seq: 90 }]),
    1,
    /its last event is 41, but query-tables\.sqlite was written after event 90: restore a backup, or .*-loss`$/,
  ],
  [
    new JournalLost(0, [{ name: 'query tables.sqlite', seq: 90 }]),
    1,
    /; if the journal is in PostgreSQL, set QUIPU_STORE$/,
  ],
  [
    new NotApplied('worldRestarting'),
    1,
    /^the database or another program interrupted the world: .* start again$/,
  ],
  [new NotApplied('diskFull'), 1, /^the disk is full: free some space and start again$/],
  [new Fenced('main', 'them'), 1, /^the world main was taken over by them: run only one engine per world/],
  [
    new PostgresUnreachable('there', new AggregateError([new Error('refused')])),
    1,
    /^there cannot be used: refused: start it, or correct .*QUIPU_STORE/,
  ],
  [new PostgresNewer('there', 9, 1), 1, /^there has table format 9, .* up to 1: install the newer/],
  [new PostgresUnfit('there', 'its encoding'), 1, /^there cannot be used: its encoding: create .*UTF8/],
  [
    system('EADDRINUSE', { address: '127.0.0.1', port: 7878 }),
    1,
    /^127\.0\.0\.1:7878 is already in use: .*--port \(0 selects a free one\)$/,
  ],
  [system('EADDRINUSE', { address: '::1', port: 7878 }), 1, /^\[::1\]:7878 is already in use/],
  [system('EACCES', { syscall: 'listen', address: '0.0.0.0', port: 80 }), 1, /^0\.0\.0\.0:80 is not allowed/],
  [system('EACCES', { syscall: 'open', path: '/d/key.pem' }), 1, /^\/d\/key\.pem cannot be opened/],
  [system('ENOENT', { path: '/d/cert.pem' }), 1, /^\/d\/cert\.pem does not exist/],
  [system('ENOTFOUND', { hostname: 'nowhere' }), 1, /^nowhere is not a known host: .*--host$/],
  [system('ERR_OSSL_PEM_NO_START_LINE'), 1, /^the certificate and key cannot be used .*--tls$/],
  [undefined, 1, /^unexpected: undefined/],
  [new Error('bug: a\n  b'), 1, /^unexpected: bug: a b; set QUIPU_LOG=debug to see the stack$/],
  ['text', 1, /^unexpected: text/],
]

for (const [error, exit, line] of rows) {
  test(`${error} is one line and exit code ${exit}`, () => {
    const explained = failureText(error)
    assert.equal(explained.exit, exit)
    assert.match(explained.line, line)
    assert(!explained.line.includes('\n'))
  })
}
