-- A database as the first version made it, with one match and one action.
CREATE TABLE gdl_schema (version INTEGER NOT NULL PRIMARY KEY);
INSERT INTO gdl_schema VALUES (1);
CREATE TABLE rulesets (digest VARCHAR(64) NOT NULL PRIMARY KEY, pinned TEXT NOT NULL);
CREATE TABLE matches (
    id VARCHAR(64) NOT NULL PRIMARY KEY,
    ruleset VARCHAR(64) NOT NULL REFERENCES rulesets (digest),
    title VARCHAR(200) NOT NULL,
    clock VARCHAR(200),
    created BIGINT NOT NULL,
    trusted BOOLEAN NOT NULL,
    owner VARCHAR(64) NOT NULL,
    length INTEGER NOT NULL,
    finished BOOLEAN NOT NULL
);
CREATE TABLE actions (
    "match" VARCHAR(64) NOT NULL REFERENCES matches (id),
    seq INTEGER NOT NULL,
    id VARCHAR(64) NOT NULL,
    role TEXT NOT NULL,
    kind VARCHAR(20) NOT NULL,
    at BIGINT NOT NULL,
    asked INTEGER NOT NULL,
    move TEXT NOT NULL,
    term TEXT NOT NULL,
    PRIMARY KEY ("match", seq)
);
CREATE UNIQUE INDEX actions_by_id ON actions ("match", id);
CREATE TABLE seats (
    "match" VARCHAR(64) NOT NULL REFERENCES matches (id),
    role VARCHAR(200) NOT NULL,
    token VARCHAR(64) NOT NULL,
    name VARCHAR(100) NOT NULL,
    agent VARCHAR(200) NOT NULL,
    taken BIGINT NOT NULL,
    PRIMARY KEY ("match", role)
);
INSERT INTO rulesets VALUES ('d', '{"id": "tictactoe"}');
INSERT INTO matches VALUES ('m', 'd', 'tictactoe', NULL, 7, 1, 'w', 1, 0);
INSERT INTO actions VALUES ('m', 0, 'a0', 'x', 'MOVE', 10, 0, 'b2 é', '(mark b 2)');
