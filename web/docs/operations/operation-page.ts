import {
  type AnyShape,
  errors,
  errorsOf,
  examples,
  fieldRows,
  type Operation,
  type OperationName,
  oauthErrors,
} from '@quipu/contract'
import { hrefFrom } from '../addresses.ts'
import { highlighted } from '../highlight.ts'
import { escaped, prose } from '../html.ts'
import { codeBlock, headingHtml, tableHtml } from '../markdown.ts'
import { methodBadge } from '../navigation.ts'
import type { Heading, Page } from '../page.ts'
import { type ExampleInput, inputOf, snippetsOf } from './examples.ts'
import { type Group, type Named, operationAddress, shownPath, titleOf } from './operation-catalog.ts'
import { operationMarkdown } from './operation-markdown.ts'
import { callersInWords, inputParts, notesOf, scopeInWords } from './operation-words.ts'

/** The page of one operation. */
export function operationPage({ name, declared }: Named, group: Group): Page {
  const [title, rest] = titleOf(declared)
  const parts = [
    ...inputParts(declared).map(({ title: part, id, shape }) => section(part, id, fieldList(shape, 'input'))),
    responseSection(name, declared),
    errorSection(name, declared),
  ].filter((part) => part !== undefined)
  return {
    address: operationAddress(name),
    title,
    label: name,
    about: declared.summary,
    method: declared.method,
    html: [
      rest === '' ? '' : `<p class="lead">${prose(rest)}</p>`,
      route(declared),
      facts(name, declared),
      exampleBlock(name, declared),
      ...parts.map(({ heading, html }) => headingHtml(heading) + html),
    ].join('\n'),
    headings: parts.map(({ heading }) => heading),
    markdown: operationMarkdown(name, declared),
    parents: ['docs', 'docs/api', group.address],
  }
}

type PagePart = { readonly heading: Heading; readonly html: string }

const section = (title: string, id: string, html: string): PagePart => ({
  heading: { id, html: escaped(title), level: 2 },
  html,
})

const route = (declared: Operation): string =>
  `<p class="route">${methodBadge(declared.method)}<code>${escaped(shownPath(declared)).replaceAll('/', '/<wbr>')}</code></p>`

/** Who may call the operation, and what to know before. */
function facts(name: OperationName, declared: Operation): string {
  const rows = [
    ['Name', `<code>${name}</code>`],
    ['For', escaped(callersInWords(declared))],
    ['OAuth scope', escaped(scopeInWords(declared))],
    ...notesOf(declared).map((note) => ['Note', prose(note)]),
  ]
  return `<dl class="facts">${rows.map(([term, text]) => `<dt>${term}</dt><dd>${text}</dd>`).join('')}</dl>`
}

/** The example in each language; scripts make tabs of the sections, and add buttons to copy and to run it. */
function exampleBlock(name: OperationName, declared: Operation): string {
  const snippets = snippetsOf(name).map(
    ({ title, language, code }) =>
      `<section aria-label="${title}"><h2 class="lang">${title}</h2><pre class="code" tabindex="0">${highlighted(code, language)}</pre></section>`,
  )
  return `<div class="blk tabbed">${snippets.join('\n')}${tryForm(name, declared)}</div>`
}

/** Each field with its type and its meaning. */
export function fieldList(shape: AnyShape, direction: 'input' | 'output'): string {
  const rows = fieldRows(shape).map(({ name, type, presence, about }) => {
    const need = presence === '' && direction === 'input' ? 'required' : presence
    const text = about === '' ? '' : `<p>${prose(about)}</p>`
    return `<li>${fieldName(name)} <span class="type">${escaped(type)}</span>${needHtml(need)}${text}</li>`
  })
  return rows.length === 0 ? '<p>Any JSON.</p>' : `<ul class="fields">${rows.join('\n')}</ul>\n`
}

const needHtml = (need: string): string =>
  need === '' ? '' : ` <span class="need${need === 'required' ? ' must' : ''}">${escaped(need)}</span>`

/** The name of a field, with the record that it is in as a faint prefix. */
function fieldName(name: string): string {
  const dot = name.lastIndexOf('.') + 1
  const prefix = dot === 0 ? '' : `<span>${escaped(name.slice(0, dot))}</span>`
  return `<code>${prefix}${escaped(name.slice(dot))}</code>`
}

function responseSection(name: OperationName, declared: Operation): PagePart {
  const status = `<p>Status <code>${declared.status}</code>.`
  const also = (declared.also ?? [])
    .map((type) => ` <code>Accept: ${type}</code> returns that format.`)
    .join('')
  if (declared.raw !== undefined)
    return section('Response', 'response', `${status} The body is <code>${escaped(declared.raw)}</code>.</p>`)
  if (declared.output === undefined)
    return section('Response', 'response', `${status} The body is empty.</p>`)
  const example = JSON.stringify(examples[name].output, null, 2)
  return section(
    'Response',
    'response',
    `${status}${also}</p>\n${codeBlock(example, 'json')}${fieldList(declared.output, 'output')}`,
  )
}

function errorSection(name: OperationName, declared: Operation): PagePart | undefined {
  const rows = errorRows(name, declared)
  if (rows.length === 0) return undefined
  return section(
    'Errors',
    'errors',
    tableHtml(
      ['Status', 'Reason', 'When'].map((cell) => `<th>${cell}</th>`),
      rows,
    ),
  )
}

function errorRows(name: OperationName, declared: Operation): readonly (readonly string[])[] {
  const page = hrefFrom(operationAddress(name), 'docs/reference/errors')
  if (declared.family === 'oauth') {
    if (declared.raw !== undefined) return []
    return Object.entries(oauthErrors).map(([error, { status, when }]) => [
      `<td>${status}</td>`,
      `<td><code>${error}</code></td>`,
      `<td>${escaped(when)}</td>`,
    ])
  }
  return errorsOf(declared).map((error) => [
    `<td>${errors[error].status}</td>`,
    `<td><a href="${page}#error-${error}"><code>${error}</code></a></td>`,
    `<td>${escaped(errors[error].when)}</td>`,
  ])
}

/** The token that a call from a page needs. */
type TokenKind = 'account' | 'operator' | 'none'

/** Responses that a page can show. */
const shownTypes = /^(application\/json|text\/plain)/

/** The token for a call from a page, or undefined if a page cannot make the call. */
function tokenFor({ who, family, raw, bodyKind, secretPath, output }: Operation): TokenKind | undefined {
  if (family === 'oauth' || secretPath || (bodyKind ?? 'json') !== 'json') return undefined
  if (raw !== undefined && !shownTypes.test(raw)) return undefined
  if (raw === undefined && output === undefined && who.includes('anyone')) return undefined
  if (who.includes('anyone')) return 'none'
  if (who.includes('account')) return 'account'
  return who.includes('operator') ? 'operator' : undefined
}

/** A POST for which reading rights are enough changes nothing, for example the preview of an order. */
const isChange = ({ method, scope }: Operation): boolean => method !== 'GET' && scope !== 'read'

/** A form that sends the operation from the page. It stays hidden without scripts. */
function tryForm(name: OperationName, declared: Operation): string {
  const token = name === 'issueSessionToken' ? undefined : tokenFor(declared)
  if (token === undefined) return ''
  const input = inputOf(name)
  const fields = [...fieldsOf(declared, input, 'params'), ...fieldsOf(declared, input, 'query')]
  const path = escaped(declared.path)
  return `<form class="try" hidden data-method="${declared.method}" data-path="${path}" data-token="${token}"${isChange(declared) ? ' data-changes' : ''}>
<div class="inputs">${fields.join('\n')}</div>${bodyField(input)}
<p class="act"><button class="button main" type="submit">Send</button><span class="as"></span></p>
</form>`
}

function fieldsOf(declared: Operation, input: ExampleInput, part: 'params' | 'query'): readonly string[] {
  const shape = declared[part]
  if (shape === undefined) return []
  return fieldRows(shape)
    .filter(({ name }) => !name.includes('.') && !name.endsWith('[]'))
    .map(({ name, type, presence }) => {
      const value = escaped(String(input[part]?.[name] ?? ''))
      const hint = escaped(presence.startsWith('default') ? presence : type)
      return `<label>${escaped(name)}<input name="${part}.${escaped(name)}" value="${value}" placeholder="${hint}"${part === 'params' ? ' required' : ''} autocomplete="off" spellcheck="false"></label>`
    })
}

function bodyField({ body }: ExampleInput): string {
  if (body === undefined) return ''
  const text = JSON.stringify(body, null, 2)
  const rows = Math.min(text.split('\n').length, 16)
  return `<label>Body<textarea name="body" rows="${rows}" spellcheck="false">${escaped(text)}</textarea></label>`
}
