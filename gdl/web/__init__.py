"""Matches over HTTP and WebSocket: `gdl serve`.

What stands where:

- what is asked: `app` (HTTP), `socket` (WebSocket), `requests`, `models` (what may be sent),
  `validation` (requests to models), `storable` (texts), `openapi`, `problems` (refusals),
  `secure` (pages from elsewhere)
- what is done: `service`; a match that is open here: `live`, `referee` (who holds its table),
  `table`, `commits` (of several matches at once, as looks); `seats`, `tokens`, `agents` (the
  programs there are), `programs` (they play), `shipped` (rulesets), `study` (questions without a
  match), `sides` (of a board), `correspondences` and `carried` (the same moves under other rules),
  `tables` and `exact` (what a position is worth), `words` (reasons for players)
- processes apart, for rules nobody vouched for: `processes`, `worker`, `thinking`
- whose turn it is: `turns` (fair queues of work), `overload`, `shedding` (refusals before all
  else), `rate_limits`, `connections` (of an address)
- running it: `server`, `workers` (several processes), `neighbours` (several servers on one
  database), `settings`, `logs`, `metrics`

The page that people see is in ``page/``.
"""
