import type { Handlers, OperationName } from '@quipu/contract'
import { accountHandlers } from './account.ts'
import { accountBlockHandlers } from './account-blocks.ts'
import { activityHandlers } from './activities.ts'
import { announcementHandlers } from './announcements.ts'
import { assetHandlers } from './assets.ts'
import { brokerAccountHandlers } from './broker-accounts.ts'
import { brokerMoneyHandlers } from './broker-money.ts'
import { calendarHandlers } from './calendar.ts'
import { configurationHandlers } from './configurations.ts'
import type { Context } from './context.ts'
import { corporateActionHandlers } from './corporate-actions.ts'
import { auctionHandlers } from './data/auctions.ts'
import { barHandlers } from './data/bars.ts'
import { corporateActionDataHandlers } from './data/corporate-actions.ts'
import { emptyDataHandlers } from './data/empty.ts'
import { latestHandlers } from './data/latest.ts'
import { screenerHandlers } from './data/screener.ts'
import { stockMetaHandlers } from './data/stock-meta.ts'
import { tickHandlers } from './data/ticks.ts'
import { locateHandlers } from './locates.ts'
import { machineTokenHandlers } from './machine-tokens.ts'
import { notHadHandlers } from './not-had.ts'
import { oauthClientHandlers } from './oauth-clients.ts'
import { oauthGrantHandlers } from './oauth-grants.ts'
import { oauthPageHandlers } from './oauth-pages.ts'
import { oauthSecretHandlers } from './oauth-secrets.ts'
import { oauthTokenHandlers } from './oauth-tokens.ts'
import { orderReadingHandlers } from './order-reading.ts'
import { orderHandlers } from './orders.ts'
import { partnerHandlers } from './partners.ts'
import { portfolioHistoryHandlers } from './portfolio-history.ts'
import { positionHandlers } from './positions.ts'
import { systemHandlers } from './system.ts'
import { type ForAccountName, type ForPartnerName, tradingHandlers } from './trading-accounts.ts'
import { userHandlers } from './users.ts'
import { watchlistHandlers } from './watchlists.ts'

/** The handlers of trading, market data and the process itself. */
const here = {
  ...accountHandlers,
  ...configurationHandlers,
  ...activityHandlers,
  ...portfolioHistoryHandlers,
  ...orderHandlers,
  ...orderReadingHandlers,
  ...assetHandlers,
  ...calendarHandlers,
  ...watchlistHandlers,
  ...locateHandlers,
  ...notHadHandlers,
  ...positionHandlers,
  ...latestHandlers,
  ...barHandlers,
  ...tickHandlers,
  ...auctionHandlers,
  ...stockMetaHandlers,
  ...emptyDataHandlers,
  ...screenerHandlers,
  ...corporateActionDataHandlers,
  ...corporateActionHandlers,
  ...announcementHandlers,
  ...brokerAccountHandlers,
  ...brokerMoneyHandlers,
  ...accountBlockHandlers,
  ...partnerHandlers,
  ...userHandlers,
  ...oauthTokenHandlers,
  ...oauthPageHandlers,
  ...oauthClientHandlers,
  ...oauthSecretHandlers,
  ...oauthGrantHandlers,
  ...machineTokenHandlers,
  ...systemHandlers,
}

/** The operations whose handlers must be brought: one left out does not compile. */
export type OtherNames = Exclude<OperationName, keyof typeof here | ForAccountName | ForPartnerName>

/** One handler for each operation of the contract. */
export const makeHandlers = (others: Handlers<Context, OtherNames>): Handlers<Context> => ({
  ...others,
  ...here,
  ...tradingHandlers(here),
})
