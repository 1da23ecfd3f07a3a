-- Rollbacks, several in a row: the instances of every deployment that was undone follow where the name leads then.

-- Deployments, as JSON numbers.
ALTER TABLE route ADD COLUMN undone TEXT NOT NULL DEFAULT '[]';

-- Of one rollback, the route had the one deployment in the place of whose instances follow.
UPDATE route SET undone = '[' || follow || ']', follow = NULL WHERE follow > 0;
