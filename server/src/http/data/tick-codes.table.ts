/** The letters of the exchanges in trades and quotes. */
export const tickExchanges = {
  A: 'NYSE American (AMEX)',
  B: 'NASDAQ OMX BX',
  C: 'National Stock Exchange',
  D: 'FINRA ADF',
  E: 'Market Independent',
  H: 'MIAX',
  I: 'International Securities Exchange',
  J: 'Cboe EDGA',
  K: 'Cboe EDGX',
  L: 'Long-Term Stock Exchange',
  M: 'Chicago Stock Exchange',
  N: 'New York Stock Exchange',
  P: 'NYSE Arca',
  Q: 'NASDAQ OMX',
  S: 'NASDAQ Small Cap',
  T: 'NASDAQ Int',
  U: 'Members Exchange',
  V: 'IEX',
  W: 'CBOE',
  X: 'NASDAQ OMX PSX',
  Y: 'Cboe BYX',
  Z: 'Cboe BZX',
} as const

const everyTape = {
  B: 'Average Price Trade',
  C: 'Cash Trade (Same Day Clearing)',
  E: 'Automatic Execution',
  F: 'Intermarket Sweep Order',
  H: 'Price Variation Trade',
  I: 'Odd Lot Trade',
  K: 'Rule 127 (NYSE only) or Rule 155 (NYSE MKT only)',
  L: 'Sold Last',
  M: 'Market Center Official Close',
  N: 'Next Day Trade',
  O: 'Market Center Opening Trade',
  P: 'Prior Reference Price',
  Q: 'Market Center Official Open',
  R: 'Seller',
  T: 'Extended Hours Trade',
  U: 'Extended Hours Sold (Out of Sequence)',
  V: 'Contingent Trade',
  X: 'Cross Trade',
  Z: 'Sold (Out of Sequence)',
  4: 'Derivatively Priced',
  5: 'Market Center Reopening Trade',
  6: 'Market Center Closing Trade',
  7: 'Qualified Contingent Trade',
  9: 'Corrected Consolidated Close',
}

const listedElsewhere = { ' ': 'Regular Sale', ...everyTape }

/** The meaning of trade conditions, by tape. */
export const tradeConditions = {
  A: listedElsewhere,
  B: listedElsewhere,
  C: {
    '@': 'Regular Sale',
    ...everyTape,
    A: 'Acquisition',
    D: 'Distribution',
    G: 'Bunched Sold Trade',
    W: 'Average Price Trade',
    Y: 'Yellow Flag Regular Trade',
  },
} as const

const quotesOfListed = {
  A: 'Slow Quote Offer Side',
  B: 'Slow Quote Bid Side',
  C: 'Closing',
  E: 'Slow Quote LRP Bid Side',
  F: 'Slow Quote LRP Offer Side',
  H: 'Slow Quote Bid And Offer Side',
  L: 'Closed',
  N: 'Non Firm',
  O: 'Opening',
  R: 'Regular, Two-Sided Open Quote',
  U: 'Slow Quote LRP Bid And Offer Side',
  W: 'Slow Quote Set Slow List',
  4: 'On Demand Intra Day Auction',
}

/** The meaning of quote conditions, by tape. */
export const quoteConditions = {
  A: quotesOfListed,
  B: quotesOfListed,
  C: {
    A: 'Manual Ask, Automated Bid',
    B: 'Manual Bid, Automated Ask',
    F: 'Fast Trading',
    H: 'Manual Bid And Ask',
    I: 'Order Imbalance',
    L: 'Closed Quote',
    N: 'Non Firm Quote',
    O: 'Opening Quote Automated',
    R: 'Regular, Two-Sided Open Quote',
    U: 'Manual Bid And Ask (Non Firm)',
    X: 'Order Influx',
    Y: 'Automated Bid, No Offer Or Automated Offer, No Bid',
    Z: 'No Open Or No Resume',
    4: 'On Demand Intra Day Auction',
  },
} as const
