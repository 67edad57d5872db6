import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { RUN_FORMAT } from '../../contract/src/index.ts'
import { RUN_FILE_FORMAT, RunFileError, readRun, runPage } from '../../sdk/src/runs/index.ts'
import { runFileOf, runRecord } from '../support/run-file.ts'

test('damaged, foreign and hostile files are refused', async () => {
  assert.equal(RUN_FILE_FORMAT, RUN_FORMAT)
  const first = `${JSON.stringify(runRecord(1))}\n`
  const withField = (fields: object) => runFileOf(runRecord(1, fields))
  const withLine = (line: object) => runFileOf(runRecord(1), line)
  const fill = {
    part: 'fill',
    at: '2026-01-05T15:00:00Z',
    symbol: 'A',
    side: 'buy',
    price: '1',
    order_id: 'a',
  }
  for (const [bytes, problem] of [
    [Buffer.from('no gzip'), /no gzip/],
    [gzipSync('{"other":1}\n'), /first line/],
    [gzipSync('{"quipu_run":2}\n'), /expected format 1, received 2/],
    [gzipSync(first), /its end is missing/],
    [gzipSync(`${first}no json\n`), /line 2: expected a JSON object/],
    [runFileOf(runRecord(1)).slice(0, -20), /no gzip, or it is damaged/],
    [gzipSync('{"quipu_run":1}\n'), /line 1: id: is missing/],
    [withField({ command: 'node' }), /line 1: command: unexpected value "node"/],
    [withField({ verdict: 'x" onload="alert(1)' }), /line 1: verdict: unexpected value/],
    [withField({ profit_loss: 1e300 }), /line 1: profit_loss: unexpected value 1e\+300/],
    [gzipSync(first.replace('"profit_loss":0', '"profit_loss":1e999')), /line 1: profit_loss/],
    [withField({ from: 'yesterday' }), /line 1: from/],
    [withLine({ ...fill, qty: 'NaN' }), /line 2: fill.qty: unexpected value "NaN"/],
    [withLine({ ...fill }), /line 2: fill.qty: is missing/],
    [withLine({ part: 'drill', drill: 'a', about: '', result: 'won' }), /line 2: drill.result/],
    [
      withLine({ part: 'output', text: 'x'.repeat(5_000_000) }),
      /line 2: it has more than 4194304 characters/,
    ],
    [gzipSync(first + '{}\n'.repeat(1_000_001)), /more than 1000000 lines/],
    [gzipSync(''), /empty/],
  ] as const)
    await assert.rejects(
      readRun(bytes),
      (error: Error) => error instanceof RunFileError && problem.test(error.message),
    )
})

test('texts of a run file are no markup in its page, which allows no scripts', async () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
  const fields = { program: evil, command: [evil], reason: evil, seed: evil, version: evil, symbol: evil }
  const at = '2026-01-05T15:00:00Z'
  const page = runPage(
    await readRun(
      runFileOf(
        runRecord(1, fields),
        { part: 'output', at, stream: 'stdout', text: evil },
        { part: 'request', at, method: evil, path: evil, fault: evil },
        { part: 'fill', at, symbol: evil, side: evil, qty: '1', price: '1', order_id: evil },
        {
          part: 'drill',
          drill: evil,
          about: evil,
          result: 'failed',
          reasons: [evil],
          evidence: evil,
          seconds: 1,
        },
        { part: 'unfilled', order_id: evil, status: evil, summary: evil, counterfactual: [evil] },
      ),
    ),
  )
  assert.doesNotMatch(page, /<script|<img/)
  assert.match(page, /default-src 'none'/)
})

test('output with colors is plain text in the page', async () => {
  const at = '2026-01-05T15:00:00Z'
  const text =
    '\x1b[38:2::255:0:0mred\x1b[0m \x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\ 10%\r\x1b[32mdone\x1b[0m'
  const page = runPage(await readRun(runFileOf(runRecord(1), { part: 'output', at, stream: 'stdout', text })))
  assert.match(page, /<td>done<\/td>/)
  assert.equal(/[\x00-\x08\x0b-\x1f\x7f]/.test(page), false)
})
