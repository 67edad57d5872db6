import { Html, html } from '@quipu/server/pages/html.ts'
import { style } from '@quipu/server/pages/style.ts'
import type { Certificate } from './certificate.ts'
import { checks, type DrillCheckName, type DrillResult } from './judge.ts'
import { baselineText, checkTitles, scoreOf, wrongText } from './lines.ts'

const styleSheet = new Html(`${style}
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .45rem .6rem .45rem 0; border-bottom: 1px solid var(--line); overflow-wrap: normal }
tr > :last-child { padding-right: 0 }
.result { font-weight: 600; white-space: nowrap }
.failed { color: var(--wrong) } .passed { color: var(--accent) } .skipped { color: var(--soft) }
.reason { display: block; margin-top: .2rem; color: var(--wrong) }
.verdict { font-size: 1.1rem; font-weight: 600 }`)

/** A page for a browser, without scripts and without other files. */
export function drillPage(certificate: Certificate): string {
  const { program, passed, counts, drills, seed, scenario } = certificate
  const verdict = passed ? 'passed' : 'failed'
  return `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>quipu drill: ${verdict}</title><style>${styleSheet}</style></head><body><main class="wide">
<h1>Drill of ${program}</h1>
<p class="verdict ${verdict}">${passed ? 'Passed' : 'Failed'}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped</p>
<p class="soft">Seed ${seed}${scenario !== null && `, scenario ${scenario}`}. Without faults: ${baselineText(certificate)}.</p>
<h2>Checks</h2>
<table>${checks.map((check) => checkRow(certificate, check))}</table>
<h2>Drills</h2>
<table>${drills.map(drillRow)}</table>
</main></body></html>`.markup
  }\n`
}

const checkRow = (certificate: Certificate, check: DrillCheckName): Html =>
  html`<tr><th scope="row">${checkTitles[check]}</th><td>${scoreOf(certificate, check)}</td></tr>`

function drillRow({ drill, result, about, wrong_at: wrong, repeat, ...verdict }: DrillResult): Html {
  const reasons = [...verdict.reasons, ...(wrong ? [wrongText(wrong)] : [])]
  return html`<tr><td class="result ${result}">${result}</td><td><b>${drill}</b><br><span class="soft">${about}</span>${reasons.map((reason) => html`<span class="${result === 'failed' ? 'reason' : 'soft small'}">${result === 'failed' ? '' : html`<br>`}${reason}</span>`)}${repeat !== undefined && html`<code>${repeat}</code>`}</td></tr>`
}
