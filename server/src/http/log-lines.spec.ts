import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceOf } from './logged-text.ts'
import { openTestServer } from './testing/server.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

for (const [traceparent, isValid] of [
  [`00-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-adds`, true],
  [`00-${TRACE}-${SPAN}-01-more`, false],
  [`ff-${TRACE}-${SPAN}-01`, false],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  [`00-${TRACE}-${SPAN}-01\n{}`, false],
  ['', false],
] as const)
  test(`traceparent ${JSON.stringify(traceparent)} is ${isValid ? 'logged' : 'ignored'}`, () =>
    assert.deepEqual(traceOf({ traceparent }), isValid ? { trace: TRACE, span: SPAN } : {}))

test('the line of a request has client address, error code, reason and trace', async (t) => {
  const server = await openTestServer({ services: { trustProxy: true } })
  t.after(() => server.close())
  await fetch(`${server.url}/v2/account`, {
    headers: { 'X-Forwarded-For': '203.0.113.7', traceparent: `00-${TRACE}-${SPAN}-01` },
  })
  server.services.log.flush()
  const line = JSON.parse(server.lines.join('').trim().split('\n').at(-1)!)
  const { level, message, status, address, code, reason, trace, span } = line
  assert.deepEqual(
    { level, message, status, address, reason, trace, span },
    {
      level: 'info',
      message: 'GET /v2/account',
      status: 401,
      address: '203.0.113.7',
      reason: 'unauthorized',
      trace: TRACE,
      span: SPAN,
    },
  )
  assert.equal(typeof code, 'number')
})
