import type { JSX } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { useReadings } from '../../live/reading.ts'
import { useRowKeys } from '../../parts/row-keys.ts'
import { worldName } from '../../session/selection.ts'
import { AuditCard } from './audit-card.tsx'
import { followEntries } from './audit-log.ts'
import { AuditLogCard } from './audit-log-card.tsx'
import { BackupsCard } from './backups-card.tsx'
import './operator.css'
import { Card } from '../../parts/card.tsx'
import { Shown } from '../../parts/shown.tsx'
import { bytesText, countText } from './metrics.ts'
import { audit, backup, readings, server } from './readings.ts'
import { ServerCard } from './server-card.tsx'
import { StoreCard } from './store-card.tsx'

/** Whether the server is well, and what was done to it. */
export default function Operator(): JSX.Element {
  const world = worldName.value
  useReadings(readings, followEntries)
  useRowKeys('Operator')
  useEffect(() => {
    audit.clear()
    backup.clear()
  }, [world])
  useLayoutEffect(() => addKeys('Operator', { r: () => void audit.run() }), [])
  const version = server.value.value?.metrics.version
  return (
    <>
      <div class="page-head">
        <h1>Operator</h1>
        {version !== undefined && <span class="chip">Quipu {version}</span>}
        <span class="chip">world {world}</span>
      </div>
      <div class="cols">
        <div class="stack">
          <ServerCard />
          <div class="two">
            <AuditCard />
            <BackupsCard />
          </div>
          <AuditLogCard />
        </div>
        <aside class="stack" aria-label="Storage and limits">
          <StoreCard />
          <LimitsCard />
        </aside>
      </div>
    </>
  )
}

const limited = [
  ['quipu_worlds', 'Worlds', countText],
  ['quipu_open_connections', 'Connections', countText],
  ['quipu_event_streams', 'Event streams', countText],
  ['quipu_unsent_response_bytes', 'Unread responses', bytesText],
] as const

/** How much of each limit is in use. */
const LimitsCard = (): JSX.Element => (
  <Card
    title="Limits in use"
    footer={
      <a class="link" href="docs/reference/settings">
        Settings
      </a>
    }
  >
    <Shown of={server} what="the limits">
      {({ metrics: { values, limits } }) => (
        <ul class="body stack limits">
          {limited.map(([metric, name, textOf]) => {
            const [used, limit] = [values.get(metric) ?? 0, limits.get(metric) ?? 0]
            const part = limit === 0 ? 0 : Math.min(used / limit, 1)
            return (
              <li key={metric}>
                <div>
                  <span>{name}</span>
                  <span class={`n ${part > 0.9 ? 'of-wrong' : ''}`}>
                    {textOf(used)} <small>of {textOf(limit)}</small>
                  </span>
                </div>
                <div class="meter" aria-hidden="true">
                  <i class={part > 0.9 ? 'full' : ''} style={{ width: `${part * 100}%` }} />
                </div>
              </li>
            )
          })}
        </ul>
      )}
    </Shown>
  </Card>
)
