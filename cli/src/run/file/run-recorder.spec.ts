import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OUTPUT_MAX_BYTES, RunRecorder } from './run-recorder.ts'
import { SecretFilter, secretArguments } from './secrets.ts'

const SECRET = 'Zx9/own+secret=value'
const recorderWith = (known: readonly string[] = [SECRET]): RunRecorder =>
  new RunRecorder(new SecretFilter(known, {}), () => 0)

const texts = (recorder: RunRecorder): readonly string[] => {
  recorder.end()
  return recorder.output.map(({ text }) => text)
}

test('a key and a character that are divided between two chunks are one', () => {
  const recorder = recorderWith()
  const bytes = Buffer.from(`süß ${SECRET} end\nnext`)
  for (const byte of bytes) recorder.print('stdout', Buffer.from([byte]))
  assert.deepEqual(texts(recorder), ['süß removed end', 'next'])
})

test('a private key of several lines leaves one line, and colors leave none', () => {
  const recorder = recorderWith()
  const key = ['-----BEGIN PRIVATE KEY-----', 'MIIEvQ', 'ab==', '-----END PRIVATE KEY-----']
  recorder.print('stdout', Buffer.from(`${key.join('\n')}\n\x1b[32mgreen\x1b[0m\n`))
  assert.deepEqual(texts(recorder), ['removed-private-key', 'green'])
})

const esc = '\x1b'
const KEY = 'PK00ABCDEFGHIJ01234K'
for (const [form, printed] of [
  ['a color around it', `${esc}[1;32m${KEY}${esc}[0m`],
  ['a color inside it', `PK00AB${esc}[31mCDEFGHIJ${esc}[39m01234K`],
  ['a color of 24 bits', `PK00AB${esc}[38:2::255:0:0mCDEFGHIJ01234K`],
  ['an underline with a style', `PK00AB${esc}[4:3mCDEFGHIJ01234K`],
  ['a link around it', `${esc}]8;;https://example.com${esc}\\${KEY}${esc}]8;;${esc}\\`],
  ['a title before it', `${esc}]0;bot\x07${KEY}`],
  ['another character set', `PK00AB${esc}(BCDEFGHIJ01234K`],
  ['a bell inside it', `PK00AB\x07CDEFGHIJ01234K`],
  ['a progress bar before it', `10%\r20%\r${KEY}`],
  ['a secret with a color inside', `${SECRET.slice(0, 9)}${esc}[7m${SECRET.slice(9)}`],
] as const)
  test(`a key is removed with ${form}, and the line is plain text`, () => {
    const recorder = recorderWith()
    recorder.print('stdout', Buffer.from(`> ${printed} <\n`))
    const [line = ''] = texts(recorder)
    assert.match(line, /^(> )?removed(-key)? <$/)
  })

test('a private key in colors leaves one line', () => {
  const recorder = recorderWith()
  const key = ['-----BEGIN PRIVATE KEY-----', 'MIIEvQ', '-----END PRIVATE KEY-----', 'after']
  const colored = key.map((line) => `${esc}[33m${line.slice(0, 8)}${esc}[1m${line.slice(8)}${esc}[0m\r\n`)
  recorder.print('stdout', Buffer.from(colored.join('')))
  assert.deepEqual(texts(recorder), ['removed-private-key', 'after'])
})

test('the cut of the output leaves no half of a key, and empty lines count', () => {
  const recorder = recorderWith()
  recorder.print('stdout', Buffer.from(`first\n${SECRET.slice(0, 12)}`))
  recorder.print('stdout', Buffer.alloc(OUTPUT_MAX_BYTES, 'x'))
  assert.deepEqual(texts(recorder), ['first', 'the output is cut at 10 MB'])
  const empty = recorderWith()
  for (let part = 0; part < 10; part++) empty.print('stdout', Buffer.alloc(OUTPUT_MAX_BYTES / 10, '\n'))
  assert.ok(empty.isCut)
  assert.ok(empty.output.length < 1_100_000, String(empty.output.length))
})

for (const [text, secret] of [
  [`url ?key=${encodeURIComponent(SECRET)}`, encodeURIComponent(SECRET)],
  [`basic ${Buffer.from(SECRET).toString('base64')}`, Buffer.from(SECRET).toString('base64').slice(0, 20)],
  ["{'APCA-API-KEY-ID': 'PKOTHER', 'APCA-API-SECRET-KEY': 'other-secret'}", 'other-secret'],
  ['"APCA-API-SECRET-KEY"=>"other-secret"', 'other-secret'],
  ['MY_BROKER_ACCESS_KEY=abcd1234efgh', 'abcd1234efgh'],
  ['AWS_SECRET_ACCESS_KEY=wJalr/XUtn', 'wJalr'],
  ['GET /callback?code=0123456789abcdef&state=x', '0123456789abcdef'],
  ['{"access_token":"0b5c7f6e-8a3e-4b58-9f27-9d0f2c5a7e11","token_type":"bearer"}', '0b5c7f6e'],
  ['refresh_token=abcdef0123456789', 'abcdef0123'],
  // Forms of our own keys, without a word before them.
  ['PK00ABCDEFGHIJ01234K', 'PK00'],
  ['(AK00ABCDEFGHIJ01234K)', 'AK00'],
  ['"CKZ9ABCDEFGHIJ01234K"', 'CKZ9'],
  ['pair PK00ABCDEFGHIJ01234K:xYw3-tT_0aZpQ9rL5mNbV7cX1dF2gH3jK4lM5n6o', 'xYw3'],
  ['a client secret 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c', '0f1e2d3c4b'],
  ['http://localhost:7878/oauth/sign-in?once=00hJ2kL5pR8tV1xZ4bD7fG0jM3nQ6sU9wY2aC5eH8i', 'hJ2kL5'],
  ['00hJ2kL5pR8tV1xZ4bD7fG0jM3nQ6sU9wY2aC5eH8iK', 'hJ2kL5'],
  ['client_secret: "short-one"', 'short-one'],
  ['postgres://ada:hunter2@db/quipu', 'hunter2'],
] as const)
  test(`a secret is removed: ${text.slice(0, 40)}`, () => {
    assert.equal(new SecretFilter([SECRET], {}).clean(text).includes(secret), false)
  })

test('a token of an app has the form of an order id, and is removed after the response that issued it', () => {
  const recorder = recorderWith()
  const [token, order] = ['00b5c7-6e8a-3e4b-589f-279d0f2c5a7e11', '0ab5c76e-8a3e-4b58-9f27-9d0f2c5a7e11']
  const body = JSON.stringify({ access_token: token, id: order })
  recorder.request('POST', '/oauth/token')('', { status: 200, isComplete: true, body })
  recorder.print('stdout', Buffer.from(`${token} ${order}\n`))
  assert.deepEqual(texts(recorder), [`removed ${order}`])
})

test('values of flags and of variables that hold secrets are removed from command, output and bodies', () => {
  const command = [
    'node',
    'bot.js',
    '--api-key',
    'abc123',
    '--token=command-line-token',
    '--password',
    'hunter2',
    '5',
  ]
  const filter = new SecretFilter(secretArguments(command), { MY_TOKEN: 'of the environment' })
  assert.deepEqual(filter.cleanCommand(command), [
    ...['node', 'bot.js', '--api-key', 'removed', '--token=removed', '--password', 'removed', '5'],
  ])
  assert.equal(filter.clean('command-line-token and of the environment'), 'removed and removed')
  const recorder = new RunRecorder(filter, () => 0)
  const end = recorder.request('POST', '/oauth/token?code=0123456789abcdef')
  const body = {
    client_secret: 'x',
    note: '-----BEGIN PRIVATE KEY----- abc',
    list: [{ token: 'command-line-token' }],
  }
  end(JSON.stringify(body), { status: 200, isComplete: true, body: '{"refresh_token":"abc","n":1}' })
  const [request] = recorder.requests
  assert.doesNotMatch(JSON.stringify(request), /0123456789|"x"|abc|command-line/)
  assert.deepEqual(request?.status, 200)
})
