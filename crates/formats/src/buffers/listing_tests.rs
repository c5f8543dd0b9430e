#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn read(text: &str) -> Result<BufferList, BufferListError> {
    read_buffer_list(&mut text.as_bytes())
}

#[test]
fn rows_of_an_oracle_instance_are_counted_as_sqlplus_spools_them() {
    let text = "\n\"FILE#\",\"BLOCK#\",\"CLASS#\",\"STATUS\",\"DIRTY\",\"OBJD\",\"OWNER\",\"OBJECT_NAME\"\n\
                4,130,4,\"xcur\",\"N\",73,\"APP\",\"ORDERS, OLD\"\n\
                4,131,1,\"xcur\",\"Y\",73,\"APP\",\"ORDERS, OLD\"\n\
                4,132,1,\"cr\",\"N\",73,\"APP\",\"ORDERS, OLD\"\n\
                3,9,18,\"xcur\",\"Y\",4294967295,,\n\
                0,0,0,\"free\",\"N\",0,,\n\n5 rows selected.\n";
    let list = read(text).unwrap();
    let contents = &list.contents;
    assert_eq!((contents.free, contents.buffers(), list.rejected), (1, 5, 0));
    let names: Vec<(&str, &str, u64, u64)> = contents
        .holders
        .iter()
        .map(|one| (&*one.name, &*one.kind, one.sum().buffers, one.sum().dirty))
        .collect();
    assert_eq!(
        names,
        [
            ("APP.ORDERS, OLD", "segment header", 1, 0),
            ("APP.ORDERS, OLD", "data", 2, 1),
            ("undo", "undo block", 1, 1),
        ]
    );
    assert!(contents.knows_dirty && !contents.knows_pins);
}

#[test]
fn rows_of_pg_buffercache_are_counted_and_bad_ones_reported() {
    let text = "bufferid,relfilenode,reltablespace,reldatabase,relforknumber,relblocknumber,isdirty,\
                usagecount,pinning_backends\n\
                1,1259,1663,5,0,0,f,5,1\n2,1259,1663,5,0,1,t,3,0\n3,1259,1663,5,2,0,f,1,0\n\
                4,,,,,,,,\n5,1259,1663,5,0,2,f,9,0\n6,1259\n";
    let list = read(text).unwrap();
    let table = &list.contents.holders[0];
    assert_eq!((&*table.name, &*table.kind), ("file 1259 of database 5", "relation"));
    assert_eq!(table.cells[5], BufferCell { buffers: 1, dirty: 0, pinned: 1 });
    assert_eq!(table.cells[3], BufferCell { buffers: 1, dirty: 1, pinned: 0 });
    assert_eq!(list.contents.holders[1].kind, "visibility map");
    assert_eq!((list.contents.free, list.contents.buffers()), (1, 4));
    assert_eq!(list.rejected, 2);
    assert_eq!(
        list.rejections,
        ["line 6: usagecount 9 is more than 5", "line 7: fewer cells than the 9 of the heading"]
    );
}

#[test]
fn rows_may_stand_for_several_buffers() {
    let list = read("obj,tch,buffers\n73,4,10\n73,80,5\n").unwrap();
    let cells = &list.contents.holders[0].cells;
    assert_eq!((cells[3].buffers, cells[7].buffers), (10, 5));
    assert!(!list.contents.knows_dirty);
    let list =
        read("obj,state,flag,tch,class\n73,1,524289,4,1\n73,3,8192,0,1\n0,0,0,0,0\n").unwrap();
    let contents = &list.contents;
    assert_eq!(
        (contents.free, contents.used()),
        (1, BufferCell { buffers: 2, dirty: 1, pinned: 0 })
    );
}

#[test]
fn what_is_no_list_of_buffers_says_what_is_expected() {
    for text in ["", "block\n1\n", "objd,dirty\n1,Y\n", "nothing at all\n"] {
        assert!(read(text).unwrap_err().to_string().contains("objd and status (V$BH)"), "{text}");
    }
    let empty = read("objd,status\n").unwrap_err().to_string();
    assert_eq!(empty, "no buffer was read: there is only the heading");
}
