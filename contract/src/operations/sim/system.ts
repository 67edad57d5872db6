import { operation } from '../../operation.ts'
import { oneOf, optional, record, text } from '../../shape/index.ts'

const shared = {
  family: 'system',
  method: 'GET',
  who: ['anyone'],
  scope: 'never',
  status: 200,
  state: 'works',
} as const

const html = 'text/html; charset=utf-8'

export const system = {
  getPage: operation({
    ...shared,
    path: '/',
    summary: 'A plain page that says what this is.',
    raw: html,
    errors: [],
  }),
  getReference: operation({
    ...shared,
    path: '/docs',
    summary: 'This reference as a page.',
    raw: html,
    errors: [],
  }),
  getOpenApi: operation({
    ...shared,
    path: '/openapi.json',
    summary: 'This reference as an OpenAPI document.',
    raw: 'application/json',
    errors: [],
  }),
  getSecurityText: operation({
    ...shared,
    path: '/.well-known/security.txt',
    summary: 'Whom to tell about a security problem of this server (RFC 9116).',
    raw: 'text/plain; charset=utf-8',
    errors: [],
  }),
  getHealth: operation({
    ...shared,
    path: '/healthz',
    probe: true,
    summary: 'The process answers.',
    output: record({ status: oneOf('ok') }),
    errors: [],
  }),
  getReadiness: operation({
    ...shared,
    path: '/readyz',
    probe: true,
    summary: 'Whether the server takes commands. Only main counts, not the worlds beside it.',
    output: record({
      status: oneOf('ready'),
      warning: optional(text()).about(
        'Something that an operator should look at, such as a clock that is behind.',
      ),
    }),
    errors: ['notReady'],
  }),
  getMetrics: operation({
    ...shared,
    who: ['anyone', 'operator'],
    path: '/metrics',
    summary: 'Counters and gauges in the Prometheus text format. Only operators see those of each world.',
    raw: 'text/plain; version=0.0.4; charset=utf-8',
    errors: ['unauthorized'],
  }),
}
