-- The first format. Never edited once released: what changes later is the next file.
-- Times are microseconds since 1970. What only the host reads (events, outcomes) is protobuf; lists and labels are JSON.

-- The numbers to be given next. Kept here because a number is never used again, also when its row is gone.
CREATE TABLE next_number (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    instance INTEGER NOT NULL,
    message INTEGER NOT NULL,
    task INTEGER NOT NULL
) STRICT;
INSERT INTO next_number VALUES (1, 1, 1, 1);

CREATE TABLE component (
    digest BLOB PRIMARY KEY NOT NULL,
    size INTEGER NOT NULL,
    wasm BLOB NOT NULL
) STRICT;

CREATE TABLE deployment (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL REFERENCES component (digest),
    workflows TEXT NOT NULL,
    activities TEXT NOT NULL,
    grants TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Which deployment new starts of a workflow (kind 0) and calls of an activity (kind 1) go to.
CREATE TABLE route (
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    deployment INTEGER NOT NULL REFERENCES deployment (id),
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- Every turn writes its row here, so few indexes, and none on what every turn changes.
CREATE TABLE instance (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    version TEXT,
    deployment INTEGER REFERENCES deployment (id),
    execution_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    status INTEGER NOT NULL,
    stalled TEXT,
    custom_status TEXT,
    outcome BLOB,
    created_at INTEGER NOT NULL,
    starts_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    turns INTEGER NOT NULL,
    events INTEGER NOT NULL,
    history_bytes INTEGER NOT NULL,
    wants_turn INTEGER NOT NULL,
    -- The parent's number, which tells it from others that had its id. No reference: a child may outlive its parent.
    parent_key INTEGER,
    parent_id TEXT,
    parent_execution_id TEXT,
    parent_task INTEGER,
    parent_close INTEGER,
    tags TEXT NOT NULL
) STRICT;
CREATE INDEX instance_by_status ON instance (status);
CREATE INDEX instance_by_workflow ON instance (workflow);
CREATE INDEX instance_by_parent ON instance (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX instance_by_end ON instance (status, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX instance_wants_turn ON instance (wants_turn) WHERE wants_turn = 1;

-- History: one row a turn. An instance's turns lie side by side, so a turn touches one page and a replay reads in order.
CREATE TABLE turn (
    instance INTEGER NOT NULL REFERENCES instance (key) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    events INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (instance, number)
) STRICT, WITHOUT ROWID;

-- The inbox. A timer is a delayed message; there is no table of timers.
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    instance INTEGER NOT NULL REFERENCES instance (key) ON DELETE CASCADE,
    visible_at INTEGER NOT NULL,
    delayed INTEGER NOT NULL,
    held INTEGER NOT NULL,
    task INTEGER,
    event BLOB NOT NULL
) STRICT;
CREATE INDEX message_by_instance ON message (instance, visible_at);
CREATE INDEX message_by_task ON message (instance, task) WHERE task IS NOT NULL;
CREATE INDEX message_due ON message (visible_at, instance) WHERE delayed = 1 AND held = 0;

CREATE TABLE task (
    key INTEGER PRIMARY KEY,
    instance INTEGER NOT NULL REFERENCES instance (key) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    task INTEGER NOT NULL,
    activity TEXT NOT NULL,
    scheduled BLOB NOT NULL,
    scheduled_at INTEGER NOT NULL,
    dispatches INTEGER NOT NULL,
    token BLOB,
    leased_until INTEGER
) STRICT;
CREATE INDEX task_by_instance ON task (instance, task);
CREATE INDEX task_waiting ON task (activity) WHERE token IS NULL;
