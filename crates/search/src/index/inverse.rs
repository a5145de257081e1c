//! From a term to its spellings, which the bytes of an index lack. Built once, when an index is read.

/// Groups with their members.
#[derive(Clone, Debug)]
pub(super) struct Inverse {
    /// For each group and one more: the start of its members.
    starts: Box<[u32]>,
    members: Box<[u32]>,
}

impl Inverse {
    /// Inverts the list of each member's group. Members of groups from `groups` on are left out.
    pub(super) fn new(groups: usize, group_of: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0_u32; groups + 1];
        for group in group_of.clone() {
            if let Some(start) = starts.get_mut(group as usize + 1) {
                *start += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![0; starts.last().copied().unwrap_or(0) as usize];
        for (member, group) in (0..).zip(group_of) {
            if (group as usize) < groups
                && let Some(place) = next.get_mut(group as usize)
            {
                members[*place as usize] = member;
                *place += 1;
            }
        }
        Self { starts: starts.into(), members: members.into() }
    }

    /// Returns the members of a group, in ascending order.
    pub(super) fn members(&self, group: u32) -> &[u32] {
        let start = self.starts.get(group as usize).copied().unwrap_or(0);
        let end = self.starts.get(group as usize + 1).copied().unwrap_or(start);
        &self.members[start as usize..end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Inverse;

    #[test]
    fn members_of_unknown_groups_are_left_out() {
        let inverse = Inverse::new(3, [2, 0, u32::MAX, 2, 7].into_iter());
        assert_eq!(inverse.members(0), [1]);
        assert_eq!(inverse.members(1), [0; 0]);
        assert_eq!(inverse.members(2), [0, 3]);
        for stranger in [3, 7, u32::MAX] {
            assert_eq!(inverse.members(stranger), [0; 0]);
        }
    }
}
