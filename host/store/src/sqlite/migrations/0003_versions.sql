-- Versions: whose open instances follow a new one, which share of new starts one on trial has, how a change is undone, and
-- what the gates found.

-- NULL: nobody's. 0: those of every other deployment. Otherwise those of this deployment.
ALTER TABLE route ADD COLUMN follow INTEGER;
ALTER TABLE route ADD COLUMN trial INTEGER REFERENCES deployment (id);
-- In percent.
ALTER TABLE route ADD COLUMN share INTEGER;

-- Where children and the next generations of its instances go. 0: to the active deployment. 1: they stay with it.
ALTER TABLE deployment ADD COLUMN successors INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deployment ADD COLUMN retired_at INTEGER;

-- What it moves to at its next turn, because somebody said so.
ALTER TABLE instance ADD COLUMN assigned INTEGER REFERENCES deployment (id);

-- Changes of routes, each with the routes as they were before it: JSON.
CREATE TABLE activation (
    id INTEGER PRIMARY KEY,
    deployment INTEGER NOT NULL REFERENCES deployment (id),
    at INTEGER NOT NULL,
    before TEXT NOT NULL
) STRICT;

CREATE TABLE gate_report (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL,
    at INTEGER NOT NULL,
    report TEXT NOT NULL
) STRICT;
